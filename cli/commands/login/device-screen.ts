/** What a terminal shows of a sign-in in the browser: the code, the page, what is asked for, and beside it a QR code. Pure. */

import type { Paint } from '../../terminal/output.ts'
import type { QrBlock } from '../../terminal/views/qr.ts'
import { wrap } from '../../terminal/wrap.ts'

export type KeyScope = 'read' | 'write'

/** What a key may do, for the one who is asked to approve it. */
export const scopeWords: Record<KeyScope, string> = {
  write: 'to look, pull and push',
  read: 'only to look and to download single files',
}

export interface DeviceRequest {
  /** The server, as it was asked for. */
  url: string
  page: string
  userCode: string
  scope: KeyScope
}

export interface ScreenLook {
  columns: number
  rows: number
  paint: Paint
}

/** Said and drawn below it later: what was opened and copied, and the wait. */
const linesBelow = 2
const narrowestText = 28
const gap = '   '

/** The lines, with the code where it fits wholly on the screen. */
export function deviceScreen(request: DeviceRequest, look: ScreenLook, qr?: QrBlock): string[] {
  const page = [`  ${look.paint(['cyan', 'underline'], request.page)}`, '']
  const pageRows = page.length + Math.floor((request.page.length + 2) / look.columns)
  const block = qr && withCode(request, look, qr)
  const fits = block !== undefined && block.length + pageRows + linesBelow < look.rows
  return [...(fits ? block : [...words(request, look.columns, look.paint), '']), ...page]
}

function withCode(request: DeviceRequest, { columns, paint }: ScreenLook, { lines, width }: QrBlock): string[] | undefined {
  if (width > columns) return undefined
  const beside = columns - width - gap.length
  if (beside < narrowestText) return [...lines, '', ...words(request, columns, paint), '']
  const said = ['', ...words(request, beside, paint)]
  const rows = Math.max(lines.length, said.length)
  return Array.from({ length: rows }, (_, at) => `${lines[at] ?? ' '.repeat(width)}${said[at] ? gap + said[at] : ''}`)
}

function words({ url, userCode, scope }: DeviceRequest, width: number, paint: Paint): string[] {
  const other = scope === 'write' ? 'read' : 'write'
  return [
    ...wrap(`To sign in at ${url}, open the page below and approve this code, if it shows the same one:`, width),
    '',
    `  ${paint('bold', userCode)}`,
    '',
    ...wrap(`It asks for a key with ${scope} scope, ${scopeWords[scope]}.`, width),
    ...wrap(`\`ph login --scope ${other}\` asks for one ${scopeWords[other]}.`, width),
  ]
}
