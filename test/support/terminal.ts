/** A real terminal for tests: tmux holds the screen, keys are typed into it, and what it shows is read back. */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

/** Whether this machine has tmux; `.ci/run` sees to it. */
export const hasTerminal = spawnSync('tmux', ['-V']).status === 0

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Terminal {
  /** The lines of the screen, without empty ones at the end; with `all`, what has scrolled away too. */
  screen(all?: 'all'): string[]
  /** Resolves with the screen once it, or what scrolled away, holds this. */
  shows(text: string | RegExp): Promise<string[]>
  /** Types keys as tmux names them: `C-c`, `Enter`, or letters. */
  type(...keys: string[]): void
  /** As a person drags the corner of its window. */
  resize(size: { columns: number; rows: number }): void
  /** Whether the cursor is to be seen. */
  hasCursor(): boolean
  /** Whether what is seen is the other screen, which full-screen programs draw on. */
  isOtherScreen(): boolean
  /** The lines of the screen with their colours. */
  colors(): string[]
  /** All that programs have written, as they wrote it. */
  written(): string
  /** Of the program that runs in it. */
  processId(): number
}

function lastDescendant(id: number): number {
  const child = Number(readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').trim().split(' ').at(-1))
  return child > 0 ? lastDescendant(child) : id
}

/** Runs a shell in a terminal of this size, in which `ph` is the built program. Gone when the test is over. */
export function openTerminal(size: { columns: number; rows: number }, env: Record<string, string> = {}): Terminal {
  const name = `ph-test-${randomBytes(4).toString('hex')}`
  const tmux = (...args: string[]) => execFileSync('tmux', ['-L', name, ...args], { encoding: 'utf8' })
  const settings = Object.entries({ PS1: '% ', COLORTERM: 'truecolor', ...env }).flatMap(([key, value]) => [
    '-e',
    `${key}=${value}`,
  ])
  const area = ['-x', String(size.columns), '-y', String(size.rows)]
  tmux('-f', '/dev/null', 'new-session', '-d', ...area, ...settings, '-e', 'NO_COLOR=', 'sh', '-i')
  onTestFinished(() => void spawnSync('tmux', ['-L', name, 'kill-server']))
  tmux('set-option', '-g', 'history-limit', '5000')
  const output = join(temporaryFolder(), 'written')
  writeFileSync(output, '')
  tmux('pipe-pane', `cat >> ${output}`)
  const terminal: Terminal = {
    screen(all) {
      const text = tmux('capture-pane', '-p', ...(all ? ['-S', '-'] : []))
      return text.trimEnd().split('\n')
    },
    async shows(wanted) {
      for (;;) {
        const text = terminal.screen('all').join('\n')
        if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) return terminal.screen('all')
        await sleep(100)
      }
    },
    type: (...keys) => void tmux('send-keys', ...keys),
    resize: ({ columns, rows }) => void tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    hasCursor: () => tmux('display-message', '-p', '#{cursor_flag}').trim() === '1',
    isOtherScreen: () => tmux('display-message', '-p', '#{alternate_on}').trim() === '1',
    colors: () => tmux('capture-pane', '-e', '-p').split('\n'),
    written: () => readFileSync(output, 'utf8'),
    processId: () => lastDescendant(Number(tmux('display-message', '-p', '#{pane_pid}'))),
  }
  const program = `${process.execPath} ${root}bin/ph.mjs`
  terminal.type(`ph() { ${program} "$@"; }; clear`, 'Enter')
  return terminal
}
