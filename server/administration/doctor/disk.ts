/** A look at the disk: room, the store's folder, what killed servers left in it, and the clock by which files are dated. */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, fault, fine, note, warning } from '../../../system/finding.ts'
import { freeBytes } from '../../../system/free-space.ts'
import { isFolderLocked } from '../../../system/lock.ts'
import { foldersIn } from '../../../system/process-folder.ts'
import { type Clock, randomId } from '../../clock.ts'
import { explainDisk } from '../../disk/failure.ts'
import { reserveBytes } from '../../disk/reserve.ts'
import { clockFinding } from './clock.ts'

const MiB = 1024 * 1024
const GiB = 1024 * MiB
/** Below this the next large push may fail. */
const scarceBytes = 2 * GiB
const scarceFiles = 10_000

/** Where files lie. They appear with the first start. */
export async function lookAtStorage(root: string, clock: Clock): Promise<Finding[]> {
  if (!existsSync(root)) return [note('storage', `${root} is not there yet; the first start makes it.`)]
  const probe = join(root, randomId('probe'))
  try {
    const from = clock.now().getTime()
    const dated = await writeProbe(probe)
    const tookMs = clock.now().getTime() - from
    const apartMs = Math.round(dated - (from + tookMs / 2))
    return [
      fine('storage', `${root} can be written to; a sync takes ${Math.max(1, Math.round(tookMs))} ms.`),
      clockFinding('file clock', { apartMs, other: 'the clock of the disk, which dates files' }),
      ...lookAtIncoming(join(root, 'incoming')),
    ]
  } catch (error) {
    const why = explainDisk(error, root)
    return [fault('storage', why instanceof Error ? why.message : String(why), `Look with: df -h ${root}; ls -ld ${root}`)]
  } finally {
    await rm(probe, { force: true })
    await rm(`${probe}-2`, { force: true })
  }
}

/** As the store writes: bytes, synced, renamed. Gives the time the file has. */
async function writeProbe(probe: string): Promise<number> {
  const file = await open(probe, 'wx', 0o600)
  try {
    await file.write('x')
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(probe, `${probe}-2`)
  return (await stat(`${probe}-2`)).mtimeMs
}

/** Uploads that were under way when their server was killed. */
function lookAtIncoming(dir: string): Finding[] {
  if (!existsSync(dir)) return []
  const { judged, strange } = foldersIn(dir)
  const elsewhere = strange.length === 0 ? [] : [lookAtStrange(strange)]
  const dropped = judged.filter((one) => isFolder(one) && !isFolderLocked(one)).flatMap(filesIn)
  if (dropped.length === 0)
    return [...elsewhere, fine('incoming', 'No unfinished upload was left behind by a server that was killed.')]
  const bytes = dropped.reduce((sum, size) => sum + size, 0)
  const amount = `${dropped.length} ${dropped.length === 1 ? 'file' : 'files'}, ${Math.ceil(bytes / MiB)} MiB`
  return [
    ...elsewhere,
    note(
      'incoming',
      `A server that was killed left unfinished uploads (${amount}).`,
      'The next start of the server removes them.',
    ),
  ]
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** On a disk that several machines use nobody else can tell whether their process lives. */
const lookAtStrange = (dirs: readonly string[]): Finding =>
  note(
    'incoming',
    `${dirs.length} folders belong to servers on other machines, or to servers from before this machine was started: ${dirs.slice(0, 3).join(', ')}.`,
    'While no server runs on any machine, remove them.',
  )

/** Sizes. The store makes no folders in there. */
function filesIn(dir: string): number[] {
  return readdirSync(dir)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? [])
}

/** One finding for each disk that the folders lie on. */
export function lookAtRoom(folders: readonly string[]): Finding[] {
  const there = folders.filter((folder) => existsSync(folder))
  const disks = new Map(there.map((folder) => [statSync(folder).dev, folder]))
  return [...disks.values()].map(lookAtDisk)
}

function lookAtDisk(folder: string): Finding {
  const left = freeBytes(folder)
  if (left === Number.POSITIVE_INFINITY) return note('disk', `The disk of ${folder} does not say how much room it has.`)
  const { bsize, blocks, files, ffree } = statfsSync(folder)
  const said = `${inWords(left)} of ${inWords(blocks * bsize)} are free where ${folder} lies.`
  const next = 'Free some space there, or move the data folder to a larger disk.'
  if (left < reserveBytes)
    return fault('disk', `${said} The server keeps ${inWords(reserveBytes)} for itself and takes nothing more.`, next)
  if (files > 0 && ffree < scarceFiles) return warning('disk', `Only ${ffree} more files fit where ${folder} lies.`, next)
  return left < scarceBytes ? warning('disk', said, next) : fine('disk', said)
}

const inWords = (bytes: number): string => (bytes < GiB ? `${Math.floor(bytes / MiB)} MiB` : `${(bytes / GiB).toFixed(1)} GiB`)
