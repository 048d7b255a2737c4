/** The agent's log: JSON lines in a file of bounded size, and plain lines to who runs it in the foreground. */
import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { logWords } from '../system/log-words.ts'
import type { Logger } from './surroundings.ts'

/** Then the file is put aside, and the one that was put aside before goes. */
const mostBytes = 8 * 1024 * 1024

export const logFile = (dir: string): string => join(dir, 'agent.log')

/** A file that takes nothing, because its disk is full, stops nobody. */
class LogFile {
  readonly #path: string
  #bytes: number

  constructor(path: string) {
    this.#path = path
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }

  write(line: string): void {
    try {
      if (this.#bytes > mostBytes) {
        renameSync(this.#path, `${this.#path}.1`)
        this.#bytes = 0
      }
      appendFileSync(this.#path, line, { mode: 0o600 })
      this.#bytes += Buffer.byteLength(line)
    } catch {
      // There is no other place to say so.
    }
  }
}

/** `also`: takes plain lines as well. */
export function openAgentLog(dir: string, also: ((line: string) => void) | undefined): Logger {
  const file = new LogFile(logFile(dir))
  const write = (line: string) => {
    file.write(line)
    also?.(logWords(line))
  }
  return pino({ level: 'info', base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }, { write })
}
