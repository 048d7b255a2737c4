/** `ph convert`: packages and source files as GLB, PNG or WAV, without a server. */
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { exits } from '../../contract/errors.ts'
import type { Converted } from '../../previews/convert.ts'
import type { SourceAnswer } from '../../previews/threads/source-worker.ts'
import { printable } from '../../system/printable.ts'
import { writeWhole } from '../../system/whole-file.ts'
import { command, flag, text } from '../command.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../refusal.ts'
import { number, size } from '../terminal/amounts.ts'
import { wrap } from '../terminal/wrap.ts'
import { type Input, inputsOf } from './convert/inputs.ts'

export const commands = [
  command({
    usage: 'convert <files...>',
    description:
      'Meshes become GLB, textures PNG, sounds WAV: out of Unreal packages as editors save them (4.19 to 5.8), where their source is in full, and of source files: FBX, OBJ, glTF and GLB; PNG, JPEG, TGA, PSD and PSB (their merged picture), EXR and HDR; WAV, OGG (Vorbis, Opus) and FLAC. Needs no server and no engine. Cooked packages have no source in them.',
    arguments: { files: 'packages or source files, or folders: all that can be converted in them, laid out as it lies there' },
    options: {
      output: text('-o, --output <path>', 'the folder to write to; for one file also the file (default: this folder)'),
      force: flag('--force', 'replace files that hold something else'),
    },
    examples: [
      ['convert Content/Props/SM_Barrel.uasset', 'SM_Barrel.glb, for any viewer or DCC program'],
      ['convert Content/Textures/*.uasset -o ./pictures', 'every texture as PNG'],
      ['convert Content -o ./converted', 'all meshes, textures and sounds of a project, in the same folders'],
    ],
    exits: ['partly'],
    async run(context, { files, output, force }) {
      const inputs = await inputsOf(context.cwd, files)
      const target = await targetOf(context.cwd, inputs, output)
      const all = await convertAll(context, { inputs, target, force })
      const results = all.filter((result) => result !== 'nothing to convert')
      const withoutSource = all.length - results.length
      context.out.result({ files: results, without_source: withoutSource }, leftOutLines(withoutSource))
      const failures = results.filter(({ error }) => error !== undefined).length
      if (failures === 0) return exits.done
      return failures === results.length ? exits.failed : exits.partly
    },
  }),
]

/** Where to write: a folder, or for one file the file itself, whose end has to fit. */
type Target = { folder: string } | { path: string }

async function targetOf(cwd: string, inputs: readonly Input[], output: string | undefined): Promise<Target> {
  const to = resolve(cwd, output ?? '.')
  const isFolder = output === undefined || /[/\\]$/.test(output) || (await stat(to).catch(() => undefined))?.isDirectory()
  if (isFolder || extname(to) === '') return { folder: to }
  if (inputs.length !== 1)
    throw wrongUsage(`${output} names a file, and there are several to convert.`, 'Name a folder: -o ./out/')
  return { path: to }
}

interface ConvertedFile {
  file: string
  /** What was written; null where nothing was. */
  path: string | null
  kind: 'mesh' | 'picture' | 'sound' | null
  size?: number
  measures?: Converted['measures']
  /** What was made less than the source has. */
  reduced?: string[]
  /** It held the same already. */
  present?: boolean
  /** Why nothing was written, and what readers call that. */
  error?: string
  reason?: string
}

interface Wish {
  inputs: readonly Input[]
  target: Target
  force: boolean
}

/** Packages of folders that hold neither a mesh nor a picture nor a sound are nothing to tell of one by one. */
type Result = ConvertedFile | 'nothing to convert'

async function convertAll(context: Context, { inputs, target, force }: Wish): Promise<Result[]> {
  const { runSourceOrders } = await import('../../previews/threads/source-threads.ts')
  const writer = new Writer(target, force)
  const results: Promise<Result>[] = []
  const orders = inputs.map(({ path }) => ({ path, want: 'convert' as const }))
  await runSourceOrders(orders, {
    signal: context.signal,
    onAnswer: (index, answer) => {
      const input = inputs[index]
      if (input === undefined) return
      results[index] = writer.take(input, answer).then((result) => {
        if (result !== 'nothing to convert') context.out.lines(lines(result, context))
        return result
      })
    },
  })
  return Promise.all(results)
}

const kinds = { glb: 'mesh', png: 'picture', wav: 'sound' } as const

/** Two files of one name in different folders would become one: the second is refused. */
class Writer {
  readonly #target: Target
  readonly #force: boolean
  readonly #written = new Map<string, string>()

  constructor(target: Target, force: boolean) {
    this.#target = target
    this.#force = force
  }

  async take({ file, below, isOfFolder }: Input, answer: SourceAnswer): Promise<Result> {
    if (answer.kind === 'none' && isOfFolder) return 'nothing to convert'
    const refused = (reason: string, error: string): ConvertedFile => ({ file, path: null, kind: null, reason, error })
    if (answer.kind === 'failed') return refused(answer.reason, answer.message)
    if (answer.kind !== 'converted') return refused('no-source', 'It holds neither a mesh nor a picture nor a sound.')
    const { ext, bytes, measures, reduced } = answer.converted
    const path =
      'path' in this.#target ? this.#target.path : join(this.#target.folder, below, `${basename(file, extname(file))}.${ext}`)
    if (extname(path).toLowerCase() !== `.${ext}`)
      return refused('wrong-end', `It is a ${kinds[ext]}: name the file ${basename(path, extname(path))}.${ext}.`)
    const other = this.#written.get(path.toLowerCase())
    if (other !== undefined)
      return refused('same-name', `${other} was written to ${path} already. Convert it by itself, with -o.`)
    this.#written.set(path.toLowerCase(), file)
    const result: ConvertedFile = { file, path, kind: kinds[ext], size: bytes.length, measures, reduced }
    try {
      const present = await readFile(path).catch(() => undefined)
      if (present?.equals(bytes)) return { ...result, present: true }
      if (present && !this.#force) return refused('present', `${path} holds something else. --force replaces it.`)
      await writeWhole(path, (written) => written.writeFile(bytes))
      return { ...result, present: false }
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      return refused(code, `${dirname(path)} cannot be written to (${code}).`)
    }
  }
}

const leftOutLines = (count: number): string[] =>
  count === 0
    ? []
    : [`${count === 1 ? '1 package holds' : `${number(count)} packages hold`} neither a mesh nor a picture nor a sound.`]

const measureWords: Record<string, (value: number) => string> = {
  triangles: (value) => `${number(value)} ${value === 1 ? 'triangle' : 'triangles'}`,
  vertices: (value) => `${number(value)} vertices`,
  seconds: (value) => `${value.toFixed(value < 10 ? 2 : 0)} s`,
  sample_rate: (value) => `${number(value)} Hz`,
  channels: (value) => (value === 1 ? 'mono' : value === 2 ? 'stereo' : `${value} channels`),
}

function lines(
  { file, path, size: bytes = 0, measures = {}, reduced = [], present, error }: ConvertedFile,
  { out, cwd }: Context,
) {
  if (path === null) return wrap(`! ${printable(file)}: ${printable(error ?? '')}`, out.width)
  const { width, height, ...others } = measures
  const facts = [
    ...(width === undefined ? [] : [`${width} x ${height}`]),
    ...Object.entries(others).flatMap(([name, value]) => measureWords[name]?.(value) ?? []),
    size(bytes),
    ...(present ? ['there already'] : []),
  ]
  const shown = path.startsWith(join(cwd, '/')) ? path.slice(join(cwd, '/').length) : path
  return [
    `${out.paint('bold', printable(shown))}  ${facts.join(', ')}`,
    ...reduced.flatMap((one) => wrap(`    ${one}`, out.width)),
  ]
}
