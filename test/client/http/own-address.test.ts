/** Which way bytes take to a library's own store. */
import { expect, test } from 'vitest'
import { onOwnWay, otherOrigin } from '../../../client/http/own-address.ts'

const own = '/storage/blobs/ab?expires=1&signature=x'

test.each([
  ['http://props.example', 'https://props.example'],
  ['http://props.example:8443', 'https://props.example:8443'],
  // A proxy that passes on the name without the port.
  ['http://props.example', 'https://props.example:8443'],
  // One that passes on no name.
  ['http://127.0.0.1:7410', 'https://props.example'],
  ['http://localhost:7410', 'https://props.example'],
])('a library that names %s, reached at %s through a proxy with TLS, is reached there for bytes too', (named, reached) => {
  expect(onOwnWay(new URL(named + own), `${reached}/w/acme`).href).toBe(reached + own)
  expect(otherOrigin(named + own, `${reached}/w/acme`)).toBe(named)
})

test.each([
  ['https://files.example', 'https://props.example', own],
  ['http://127.0.0.1:7410', 'http://127.0.0.1:9000', own],
  ['http://files.example', 'https://props.example', own],
  ['http://127.0.0.1:7410', 'https://localhost:8443', own],
  ['http://props.example', 'https://props.example', '/bucket/key?X-Amz-Signature=x'],
  ['http://props.example', 'https://props.example', '/storage/key?X-Amz-Signature=x'],
])('what %s says is followed from %s where that may be meant: %s', (named, reached, path) => {
  expect(onOwnWay(new URL(named + path), `${reached}/w/acme`).href).toBe(named + path)
  expect(otherOrigin(named + path, `${reached}/w/acme`)).toBeUndefined()
})
