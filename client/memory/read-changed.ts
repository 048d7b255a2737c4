/** Finds the files of a push and reads those that are new or changed; what lies unchanged is taken from memory. */
import { join } from 'node:path'
import { nameKey } from '../../contract/names.ts'
import type { TellPush } from '../progress.ts'
import type { FileFacts } from '../project/file-facts.ts'
import type { ReadFile, UnreadFile } from '../project/file-reader.ts'
import type { KnownFile } from '../project/known-file.ts'
import { type Problem, problem } from '../project/problem.ts'
import { namingOf, type PushFile } from '../project/project-file.ts'
import { readFiles } from '../project/read-files.ts'
import type { FoundFile } from '../project/scan.ts'
import type { FileRead, ProjectMemory } from './project-memory.ts'

export interface ChangedFiles {
  files: PushFile[]
  problems: Problem[]
  /** Bytes and files that were read. */
  read: { files: number; bytes: number }
}

/** How many results are kept in memory before they are written down. */
const savedAtOnce = 1000

interface Reading {
  root: string
  memory: ProjectMemory
  tell: TellPush
  signal?: AbortSignal
}

/** Gives every found file its content's hash and facts. What cannot be read becomes a problem. */
export async function readChanged(found: readonly FoundFile[], reading: Reading): Promise<ChangedFiles> {
  const known = new Map(reading.memory.findAll(found.map(({ file }) => file)).map((one) => [one.file, one]))
  const changed = found.filter((one) => !isRead(one, known.get(one.file)))
  const fresh = new Map<string, FileRead>()
  const { problems, read } = await readAndRemember(changed, { ...reading, onRead: (one) => fresh.set(one.file, one) })
  const files = found.flatMap((one) => toPushFile(one, fresh.get(one.file), known.get(one.file)))
  return { files, problems, read }
}

/** Reads files and writes down what they hold; in memory it keeps nothing. What cannot be read becomes a problem. */
export async function readAndRemember(
  found: readonly FoundFile[],
  { root, memory, tell, signal, onRead }: Reading & { onRead: (read: FileRead) => void },
): Promise<Omit<ChangedFiles, 'files'>> {
  const problems: Problem[] = []
  const totalBytes = found.reduce((sum, { size }) => sum + size, 0)
  const progress = { files: 0, bytes: 0, totalFiles: found.length, totalBytes }
  let unsaved: FileRead[] = []
  const save = () => {
    memory.saveRead(unsaved)
    unsaved = []
  }
  const onFile = (index: number, result: ReadFile | UnreadFile) => {
    const one = found[index]
    if (!one) return
    progress.files++
    if ('unread' in result) problems.push(nameUnread(one.file, result))
    else {
      const read = toRead(one, result)
      onRead(read)
      if (unsaved.push(read) >= savedAtOnce) save()
    }
    tell({ kind: 'read', ...progress })
  }
  const onBytes = (bytes: number) => {
    progress.bytes += bytes
    tell({ kind: 'read', ...progress })
  }
  const jobs = found.map(({ file, size }) => ({ path: join(root, file), size }))
  await readFiles(jobs, { signal, onFile, onBytes })
  save()
  return { problems, read: { files: progress.files, bytes: progress.bytes } }
}

function toRead(found: FoundFile, result: ReadFile): FileRead {
  const naming = namingOf(found, result.facts)
  const guid = result.facts.kind === 'package' ? result.facts.guid : null
  return { ...result, file: found.file, packageName: naming.packageName === null ? null : nameKey(naming.packageName), guid }
}

type ReadBefore = KnownFile & { facts: FileFacts }

/** Whether the file as it is was read before. What a pull put into place was not, although its hash is known. */
const isRead = ({ stat }: FoundFile, known: KnownFile | undefined): known is ReadBefore =>
  known?.stat === stat && known.facts !== null

function toPushFile(found: FoundFile, read: FileRead | undefined, known: KnownFile | undefined): PushFile[] {
  const content = read ?? (isRead(found, known) ? known : undefined)
  if (!content) return []
  const { hash, size, facts } = content
  // What was settled about other bytes says nothing about these; what version they were edited from still counts.
  const memory = known && { ...known, settled: known.settled && known.hash === hash }
  return [{ found, hash, size, facts, naming: namingOf(found, facts), known: memory }]
}

function nameUnread(file: string, { unread, code }: UnreadFile): Problem {
  if (unread === 'changed') return problem('changed-while-read', file, `${file} was changed while it was read.`)
  if (unread === 'vanished') return problem('vanished', file, `${file} was there a moment ago and is gone.`)
  return problem('unreadable-file', file, `${file} cannot be read (${code}).`)
}
