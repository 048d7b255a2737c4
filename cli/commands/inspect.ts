/** `ph inspect`: what is in files, without a server. */
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { ReadFile, UnreadFile } from '../../client/project/file-reader.ts'
import { statKey } from '../../client/project/fingerprint.ts'
import { exits } from '../../contract/errors.ts'
import type { SourceAnswer } from '../../previews/threads/source-worker.ts'
import { printable } from '../../system/printable.ts'
import { command, flag } from '../command.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../refusal.ts'
import { count, size } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import { pictureDrawing, pictureTerms } from '../terminal/pictures.ts'
import { pad } from '../terminal/table.ts'
import { requireTurnStyle, runTurn, turnTerms } from '../terminal/turn.ts'
import { wrapAfter } from '../terminal/wrap.ts'
import { describeFile, type FileDescription, type SourceDescription } from './inspect/file-description.ts'
import { sourceLines } from './inspect/source-lines.ts'

export const commands = [
  command({
    usage: 'inspect <files...>',
    description:
      'Reads headers of Unreal packages (.uasset, .umap) of every engine version, and of PNG, JPEG, TGA, PSD, EXR, HDR, WAV, OGG, FLAC, MP3, GLB, glTF, FBX and OBJ files. Nothing is sent anywhere.',
    arguments: { files: 'files to look into' },
    options: {
      all: flag('--all', 'list every reference, however many there are'),
      noPictures: flag('--no-pictures', 'show no pictures'),
      turn: flag('--turn', 'look at the mesh of one file from all sides, on a turntable in the terminal'),
      source: flag('--source', 'read the mesh, picture or sound itself, and say what it measures; takes longer'),
    },
    terms: { ...pictureTerms, list: [...pictureTerms.list, ...turnTerms] },
    examples: [
      ['inspect Content/Props/SM_Barrel.uasset', 'class, name, identity, engine version, what it needs'],
      ['inspect --source Content/Props/SM_Barrel.uasset', 'also the mesh in it: triangles, bounds, hashes of what was decoded'],
      ['inspect --turn Downloads/barrel.fbx', 'the mesh on a turntable in the terminal'],
      ['inspect --json Content/Props/*.uasset | jq ".files[].engine_version"', 'one fact of many files'],
    ],
    exits: ['partly'],
    async run(context, { files, all, noPictures, source, turn }) {
      if (turn) return turnFile(context, files)
      const read = await readAll(context, files)
      const sources = source ? await readSources(read, context.signal) : []
      const described = read.map((one, at) => {
        const words = describeFile(one.file, one.path, one.result)
        return { ...one, words: source ? { ...words, source: sources[at] ?? null } : words }
      })
      if (context.out.json) context.out.result({ files: described.map(({ words }) => words) }, '')
      else await tellEach(context, described, { all, pictures: !noPictures && read.length <= mostPictured })
      const failures = described.filter(({ words }) => words.error !== undefined).length
      if (failures === 0) return exits.done
      return failures === described.length ? exits.failed : exits.partly
    },
  }),
]

/** Gives the exit code. */
async function turnFile(context: Context, files: readonly string[]): Promise<number> {
  const [file, second] = files
  if (file === undefined || second !== undefined) throw wrongUsage('--turn shows one file at a time.', 'Name one file.')
  const style = await requireTurnStyle(
    context,
    '`ph inspect` says what is in a file, `ph convert` makes it a GLB for any viewer.',
  )
  return runTurn(context, { name: basename(file), source: { path: resolve(context.cwd, file) } }, style)
}

interface Read {
  /** As it was named, and absolute. */
  file: string
  path: string
  result: ReadFile | UnreadFile
}

async function readAll({ cwd, signal }: Context, files: readonly string[]): Promise<Read[]> {
  const { readFiles } = await import('../../client/project/read-files.ts')
  const jobs = files.map((file) => ({ path: resolve(cwd, file), size: 0 }))
  const results = new Map<number, ReadFile | UnreadFile>()
  await readFiles(jobs, { signal, onFile: (index, result) => results.set(index, result) })
  return files.flatMap((file, at) => {
    const [path, result] = [jobs[at]?.path, results.get(at)]
    return path && result ? [{ file, path, result }] : []
  })
}

/** Of each file what its source data measure; undefined for one that has none. */
async function readSources(files: readonly Read[], signal: AbortSignal): Promise<(SourceDescription | undefined)[]> {
  const { runSourceOrders } = await import('../../previews/threads/source-threads.ts')
  const sources: (SourceDescription | undefined)[] = []
  const orders = files.map(({ path }) => ({ path, want: 'facts' as const }))
  const onAnswer = (index: number, answer: SourceAnswer) => {
    if (answer.kind === 'facts') sources[index] = answer.facts
    if (answer.kind === 'failed') sources[index] = { [answer.reason === 'unsupported' ? 'unsupported' : 'error']: answer.message }
  }
  await runSourceOrders(orders, { signal, onAnswer })
  return sources
}

/** With more files than this, pictures only push the words off the screen. */
const mostPictured = 4
const pictureBox = { columns: 24, rows: 10 }

async function tellEach(
  context: Context,
  described: readonly (Read & { words: FileDescription })[],
  { all, pictures }: { all: boolean; pictures: boolean },
): Promise<void> {
  const drawing = await pictureDrawing(context, pictures)
  for (const [at, one] of described.entries()) {
    if (at > 0) context.out.lines([''])
    const picture = drawing && (await pictureOf(one))
    if (picture) context.out.raw(await drawing.draw(picture, pictureBox))
    context.out.lines(lines(one.words, context.out, all))
  }
}

/** The picture inside a file; undefined when it has none or has changed meanwhile. */
async function pictureOf({ path, result }: Read): Promise<Uint8Array | undefined> {
  if ('unread' in result || result.facts.kind === 'refused' || result.facts.kind === 'opaque') return undefined
  const { makeThumbnail } = await import('../../client/project/thumbnail.ts')
  const made = await makeThumbnail(path, { facts: result.facts, found: { stat: statKey(await stat(path, { bigint: true })) } })
  return 'png' in made ? made.png : undefined
}

const LABEL_WIDTH = 16

/** Measures under the names that `ph show` has for them. */
const measureNames: Record<string, string> = {
  tri_count: 'triangles',
  vert_count: 'vertices',
  lod_count: 'LODs',
  bone_count: 'bones',
  material_count: 'materials',
}

const mostReferences = 12

function lines(file: FileDescription, { paint, width }: Output, all: boolean): string[] {
  const fact = (name: string, value: string | number | null): string[] =>
    value === null || value === '' ? [] : [`  ${paint('dim', pad(name, LABEL_WIDTH))}${printable(String(value))}`]
  const most = all ? Number.POSITIVE_INFINITY : mostReferences
  const list = (name: string, packages: readonly string[]): string[] => {
    if (packages.length === 0) return []
    const shown = packages.slice(0, most).map((one) => `    ${printable(one)}`)
    const more = packages.length > most ? [`    and ${packages.length - most} more (--all)`] : []
    return [...fact(name, count(packages.length, 'package')), ...shown, ...more]
  }
  return [
    paint('bold', printable(file.file)),
    ...(file.error === undefined
      ? []
      : wrapAfter(`  ${paint('dim', pad('problem', LABEL_WIDTH))}`, printable(file.error), width)),
    ...fact('class', file.asset_class),
    ...fact('name', file.asset_name),
    ...fact('path', file.package_name),
    ...fact('engine', file.engine_version),
    ...fact('GUID', file.package_guid),
    ...fact('size', file.size === null ? null : size(file.size)),
    ...fact('SHA-256', file.sha256),
    ...fact('picture', file.thumbnail && `${file.thumbnail.width} x ${file.thumbnail.height}`),
    ...Object.entries(file.metadata).flatMap(([name, value]) =>
      fact(measureNames[name] ?? name.replaceAll('_', ' '), String(value)),
    ),
    ...sourceLines(file, paint),
    ...list('needs', [...file.imports, ...file.plugin_imports]),
    ...list('refers to', file.soft_references),
  ]
}
