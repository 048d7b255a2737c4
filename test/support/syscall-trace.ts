/** What a program asks of the system, as strace sees it: calls with their times, of every thread. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

export interface SystemCall {
  name: string
  /** As strace writes them: paths in quotes, and behind the number of an open file its path in angle brackets. */
  args: string
  /** Whether it did what was asked. */
  isDone: boolean
  /** Seconds since 1970, by the clock that all processes of the machine share. */
  beganAt: number
  endedAt: number
}

export interface Trace {
  /** The words in front of a command line by which a program is watched. It stays the child of who starts it. */
  within: readonly string[]
  /** Every call of the program, in the order of their ends. To be asked when it has ended. */
  calls(): Promise<SystemCall[]>
}

/** A busy machine may take its time. */
const patience = { timeout: 60_000 }

/** Watches the calls that are named. Fails where the system does not let strace watch. */
export function traceCalls(names: readonly string[]): Trace {
  const file = join(temporaryFolder(), 'trace')
  requireTracing()
  const line = ['-D', '-f', '--seccomp-bpf', '-q', '-y', '-ttt', '-T', '-s', '1000', '-o', file, '-e', `trace=${names.join(',')}`]
  return {
    within: ['strace', ...line],
    async calls() {
      const text = () => readFileSync(file, 'utf8')
      await expect.poll(() => isEnded(text()), patience).toBe(true)
      return readTrace(text())
    },
  }
}

function requireTracing(): void {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    throw new Error(
      `This test watches a server with strace (Debian: apt-get install strace), which must be allowed to trace (a container: --cap-add SYS_PTRACE): ${(error as Error).message}`,
    )
  }
}

/** The first line is of the thread that is the process. */
function isEnded(text: string): boolean {
  const pid = /^\d+/.exec(text)?.[0]
  return pid !== undefined && new RegExp(`^${pid} +[\\d.]+ \\+\\+\\+ (exited|killed)`, 'm').test(text)
}

const whole = /^(\d+) +([\d.]+) (\w+)\((.*)\) += (.*) <([\d.]+)>$/
const begun = /^(\d+) +([\d.]+) (\w+)\((.*) <unfinished \.\.\.>$/
const resumed = /^(\d+) +([\d.]+) <\.\.\. (\w+) resumed>(.*)\) += (.*) <[\d.]+>$/

export function readTrace(text: string): SystemCall[] {
  const open = new Map<string, { args: string; beganAt: number }>()
  const calls: SystemCall[] = []
  for (const line of text.split('\n')) {
    const [, pid = '', at = '', name = '', args = '', result = '', tookS = ''] = whole.exec(line) ?? []
    if (pid) calls.push({ name, args, isDone: isDone(result), beganAt: Number(at), endedAt: Number(at) + Number(tookS) })
    const [, opener, openedAt = '', , first = ''] = begun.exec(line) ?? []
    if (opener) open.set(opener, { args: first, beganAt: Number(openedAt) })
    const [, closer = '', endedAt = '', ending = '', rest = '', outcome = ''] = resumed.exec(line) ?? []
    const before = open.get(closer)
    if (before)
      calls.push({ ...before, name: ending, args: before.args + rest, isDone: isDone(outcome), endedAt: Number(endedAt) })
    open.delete(closer)
  }
  return calls.sort((one, other) => one.endedAt - other.endedAt)
}

const isDone = (result: string): boolean => /^\d/.test(result)
