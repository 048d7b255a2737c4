/** The other screen of a terminal, with keys as they are struck. What was there before comes back in every case. */
import type { InStream } from '../../../context.ts'
import type { OutStream } from '../../output.ts'

const ESC = '\u001b'
/** The other screen, no cursor, no wrapping of lines that are as wide as the screen. */
const enter = `${ESC}[?1049h${ESC}[?25l${ESC}[?7l${ESC}[2J`
const leave = `${ESC}[0m${ESC}[?7h${ESC}[?25h${ESC}[?1049l`
/** Terminals that know this show what is written in between at once (https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036). */
const [begin, end] = [`${ESC}[?2026h`, `${ESC}[?2026l`]

export interface RawScreen {
  size(): { columns: number; rows: number }
  /** All of it at once, where the terminal can. */
  show(text: string): void
  close(): void
}

/** `farewell` is written before the screen is given back. */
export function openRawScreen(
  { stdin, stdout }: { stdin: InStream; stdout: OutStream },
  { onText, onResize, farewell }: { onText: (text: string) => void; onResize: () => void; farewell: string },
): RawScreen {
  let isOpen = true
  const onBytes = (bytes: Buffer | string) => onText(bytes.toString())
  const close = () => {
    if (!isOpen) return
    isOpen = false
    process.off('exit', close)
    process.off('uncaughtExceptionMonitor', close)
    stdin.off('data', onBytes)
    stdout.off('resize', onResize)
    stdout.write(`${end}${farewell}${leave}`)
    stdin.setRawMode?.(false)
    stdin.pause()
  }
  // Also where the program breaks: before it says so.
  process.once('exit', close)
  process.once('uncaughtExceptionMonitor', close)
  stdin.setRawMode?.(true)
  stdin.on('data', onBytes)
  stdin.resume()
  stdout.on('resize', onResize)
  stdout.write(enter)
  return {
    size: () => ({ columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 }),
    show(text) {
      if (isOpen) stdout.write(`${begin}${text}${end}`)
    },
    close,
  }
}
