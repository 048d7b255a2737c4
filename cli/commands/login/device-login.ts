/** Signing in through the browser: shows the code and where to approve it, and waits for the key. */
import { hostname } from 'node:os'
import { Http } from '../../../client/http/http.ts'
import { collectKey, type DeviceCode, type IssuedKey, startDeviceSignIn } from '../../../client/sign-in/device-sign-in.ts'
import { ApiError, exits } from '../../../contract/errors.ts'
import { printable, printableJson } from '../../../system/printable.ts'
import { clientName } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { duration } from '../../terminal/amounts.ts'
import { copyByTerminal, openInBrowser } from '../../terminal/browser.ts'
import { columnsOf, hasColor, marked, painter, shown } from '../../terminal/output.ts'
import { openDisplay } from '../../terminal/progress-display.ts'
import type { QrBlock } from '../../terminal/views/qr.ts'
import { tellWaits } from '../../terminal/waits.ts'
import { wrap } from '../../terminal/wrap.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'
import { type DeviceEvent, deviceModel } from './device-progress.ts'
import { deviceScreen, type KeyScope } from './device-screen.ts'

export interface DeviceLogin {
  url: string
  scope: KeyScope
  noBrowser: boolean
}

/** For a code that nobody gets before it is asked for: a busy server is waited for, and one that is not there is said soon. */
const startForMs = 30_000
const longestName = 80

/**
 * Gives the key that someone approved for `first`, a code that was just asked for. Throws ApiError `DEVICE_DENIED`,
 * `DEVICE_EXPIRED`, and what the client's calls throw.
 */
export async function signInByDevice(context: Context, login: DeviceLogin, first: DeviceCode): Promise<IssuedKey> {
  for (let code = first; ; code = await askForCode(context, login)) {
    try {
      return await approvedKey(context, login, code)
    } catch (error) {
      const isExpired = error instanceof ApiError && error.code === 'DEVICE_EXPIRED'
      if (!isExpired || !context.interactive) throw error
      if (!(await askYesOrNo(context, 'The code has expired before anybody approved it. Get a new one?', true))) throw error
    }
  }
}

async function approvedKey(context: Context, login: DeviceLogin, code: DeviceCode): Promise<IssuedKey> {
  const { now, pause, signal } = context
  const nowMs = () => now().getTime()
  await introduce(context, login, code)
  // Every outcome counts here, so nothing is repeated; and Ctrl-C must not cut a key off that is on its way.
  const http = new Http({ url: login.url, clientName: clientName(), retryForMs: 0 })
  const display = await displayFor(context)
  display.tell({ kind: 'code', expiresAtMs: code.expiresAtMs })
  try {
    const onTrouble = (reason: string | undefined) => display.tell({ kind: 'trouble', reason })
    return await collectKey(http, code, { nowMs, pause, signal, onTrouble })
  } finally {
    await display.hide()
    await http.close('destroy')
  }
}

/** Shows too whether the address is right: throws Refusal where no workspace is there, or none that signs in by code. */
export async function askForCode(context: Context, { url, scope }: DeviceLogin): Promise<DeviceCode> {
  const { now, pause, signal } = context
  const http = new Http({ url, clientName: clientName(), pause, signal, retryForMs: startForMs, onWait: tellWaits(context) })
  try {
    return await startDeviceSignIn(http, { clientName: deviceName(), scope, nowMs: now().getTime() })
  } catch (error) {
    throw notOffered(error, url)
  } finally {
    await http.close('destroy')
  }
}

/** The address is wrong, or the server is one that knows keys only. */
function notOffered(error: unknown, url: string): unknown {
  if (!(error instanceof ApiError) || (error.code !== 'NOT_FOUND' && error.code !== 'UNAUTHORIZED')) return error
  if (error.code === 'NOT_FOUND' && error.details.front_door === true)
    return new Refusal({
      code: error.code,
      exit: exits.failed,
      message: `There is no workspace at ${url}, but a server answers there.`,
      details: error.details,
      next: 'Check the name of the workspace, which stands after /w/; the address is in the browser on every page of it.',
    })
  return new Refusal({
    code: error.code,
    exit: exits.failed,
    message: `${url} does not offer to sign in through the browser: ${error.message}`,
    details: error.details,
    next: 'Check the address. If it is right, make a key on the page of the workspace, and run `ph login --with-key`.',
  })
}

/** Becomes part of the key's name, so that its owner knows later whose it is. */
const deviceName = (): string => [...`ph on ${hostname()}`].slice(0, longestName).join('')

interface Display {
  tell(event: DeviceEvent): void
  hide(): Promise<void>
}

/** A terminal shows what is waited for; elsewhere a line says when the server is away, and when it is back. */
async function displayFor(context: Context): Promise<Display> {
  const { out, stderr } = context
  if (stderr.isTTY && !out.json) return openDisplay(context, deviceModel)
  let told: string | undefined
  const tell = (event: DeviceEvent) => {
    if (event.kind !== 'trouble' || event.reason === told) return
    told = event.reason
    out.note(told === undefined ? 'The server answers again.' : `Trying again: ${printable(told)}`)
  }
  return { tell, hide: async () => undefined }
}

/** On stderr, so that stdout has the result alone; as one line of JSON for the one who reads JSON. */
async function introduce(context: Context, login: DeviceLogin, code: DeviceCode): Promise<void> {
  const { stderr, out, now } = context
  const { userCode, page, expiresAtMs } = code
  if (out.json) {
    const expires_at = new Date(expiresAtMs).toISOString()
    const device = { user_code: userCode, verification_url: page, scope: login.scope, expires_at }
    stderr.write(`${printableJson(JSON.stringify({ device }))}\n`)
    return
  }
  if (stderr.isTTY) return introduceOnTerminal(context, login, code)
  const time = duration(expiresAtMs - now().getTime())
  out.note(`To sign in to ${login.url}, open ${page}`)
  out.note(
    `and approve the code ${userCode} there. It asks for a key with ${login.scope} scope. Waiting for that, at most ${time}.`,
  )
}

async function introduceOnTerminal(context: Context, login: DeviceLogin, { userCode, page }: DeviceCode): Promise<void> {
  const { stderr, env } = context
  const paint = painter(hasColor(stderr, env))
  const look = { columns: columnsOf(stderr, env), rows: stderr.rows ?? 24, paint }
  const lines = deviceScreen({ url: login.url, page, userCode, scope: login.scope }, look, await qrOf(context, page))
  stderr.write(shown(`${lines.join('\n')}\n`))
  const reached = await reachPerson(context, login, { userCode, page })
  stderr.write(shown(`${wrap(reached, look.columns).join('\n')}\n`))
}

/** Opens the page and copies the code where that is possible; says what was done. */
async function reachPerson(context: Context, { noBrowser }: DeviceLogin, code: Pick<DeviceCode, 'userCode' | 'page'>) {
  const copied = copyByTerminal(code.userCode, context) ? ' The code is copied, where the terminal allows that.' : ''
  const opened = !noBrowser && (await openInBrowser(code.page, context))
  const open = isLoopback(code.page) ? 'Open it on this machine.' : 'Open it on any device.'
  return `${opened ? 'The page is opened in your browser.' : open}${copied}`
}

const isLoopback = (page: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(page).hostname)

/** A phone reads the page off the screen; not where the address means this machine itself. */
async function qrOf({ stderr, env }: Context, page: string): Promise<QrBlock | undefined> {
  if (isLoopback(page)) return undefined
  const { qrBlock } = await import('../../terminal/views/qr.ts')
  const { lines, width } = qrBlock(page, hasColor(stderr, env))
  return { lines: lines.map(marked), width }
}
