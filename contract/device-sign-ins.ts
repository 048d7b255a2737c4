/** Device sign-ins: a program gets a key that a person approves elsewhere (spec 4.1, 5; RFC 8628). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { Id, named, oneOf } from './shapes.ts'

const Text = Type.String()

/** `user_code` is shown to the person; the addresses are relative to the service. `expires_in` and `interval` are seconds. */
export const DeviceSignIn = Type.Object({
  device_code: Text,
  user_code: Text,
  verification_uri: Text,
  verification_uri_complete: Text,
  expires_in: Type.Integer(),
  interval: Type.Integer(),
})
export type DeviceSignIn = Static<typeof DeviceSignIn>

/** The key, shown this once. `gateway_url` is the address of the workspace that it belongs to. */
export const DeviceKey = Type.Object({ token: Text, token_id: Id, scope: oneOf(['read', 'write']), gateway_url: Text })
export type DeviceKey = Static<typeof DeviceKey>

export const deviceSignIns = routes({
  start: {
    method: 'POST',
    path: '/auth/device/code',
    scope: 'none',
    summary: 'Ask for a code that a person approves on the page `/device`.',
    input: Type.Object({
      client_name: named(limits.signIn.clientName),
      scopes: Type.Optional(oneOf(['read', 'write'])),
    }),
    output: DeviceSignIn,
    transaction: false,
    errors: ['RATE_LIMITED'],
  },
  collect: {
    method: 'POST',
    path: '/auth/device/token',
    scope: 'none',
    summary: 'Ask whether the code was approved; the first time after that gives the key, and uses the code up.',
    input: Type.Object({ device_code: Text }),
    output: DeviceKey,
    transaction: false,
    lacking: 'INVALID_REQUEST',
    errors: ['DEVICE_PENDING', 'DEVICE_SLOW_DOWN', 'DEVICE_EXPIRED', 'DEVICE_DENIED', 'UNAUTHORIZED', 'INVALID_REQUEST'],
  },
})
