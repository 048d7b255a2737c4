/** Which files other programs have open, where the system tells: Linux does; Windows refuses the rename instead. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The name of a program that has it open, by path. Programs of other people are not seen. */
export function findOpenFiles(paths: ReadonlySet<string>): Map<string, string> {
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

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return `process ${pid}`
  }
}
