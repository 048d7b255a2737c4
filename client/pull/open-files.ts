/** Which files other programs have open, where the system tells: Linux does; Windows refuses the rename instead. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** For programs that only read a file through, or that start another one, which has its files open for a moment. */
const patienceMs = 2000
const lookMs = 100

/** The name of a program that has it open, by path, where none lets it go meanwhile. Programs of other people are not seen. */
export async function findOpenFiles(paths: ReadonlySet<string>, signal?: AbortSignal): Promise<Map<string, string>> {
  const untilMs = performance.now() + patienceMs
  let open = openNow(paths)
  while (open.size > 0 && performance.now() < untilMs) {
    await sleep(lookMs, undefined, { signal })
    open = openNow(new Set(open.keys()))
  }
  return open
}

function openNow(paths: ReadonlySet<string>): Map<string, string> {
  const open = new Map<string, string>()
  if (paths.size === 0 || process.platform !== 'linux') return open
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    for (const path of openBy(pid)) if (paths.has(path) && !open.has(path)) open.set(path, nameOf(pid))
  }
  return open
}

/** Processes end while they are looked at. */
function openBy(pid: string): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((fd) => linkAt(`${folder}/${fd}`) ?? [])
  } catch {
    return []
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Some programs rename their first thread, Node and the editor among them: their file says which program it is. */
const threadNames = new Set(['MainThread', 'node-MainThread', 'GameThread'])

function nameOf(pid: string): string {
  try {
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    return threadNames.has(name) ? basename(linkAt(`/proc/${pid}/exe`) ?? name) : name
  } catch {
    return `process ${pid}`
  }
}
