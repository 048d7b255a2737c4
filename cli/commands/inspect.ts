/** `ph inspect`: what files say of themselves, without a server. */
import { resolve } from 'node:path'
import type { ReadFile, UnreadFile } from '../../client/file-reader.ts'
import { exits } from '../../contract/errors.ts'
import { count, size } from '../amounts.ts'
import { command, flag } from '../command.ts'
import type { Context } from '../context.ts'
import { describeFile, type FileDescription } from '../file-description.ts'
import type { Output } from '../output.ts'
import { printable } from '../printable.ts'
import { pad } from '../table.ts'

export const commands = [
  command({
    usage: 'inspect <files...>',
    description:
      'Reads headers of Unreal packages (.uasset, .umap) of every engine version, and of PNG, JPEG, TGA, WAV, GLB and glTF files. Nothing is sent anywhere.',
    arguments: { files: 'files to look into' },
    options: { all: flag('--all', 'list every reference, however many there are') },
    examples: [
      ['inspect Content/Props/SM_Barrel.uasset', 'class, name, identity, engine version, what it needs'],
      ['inspect --json Content/Props/*.uasset | jq ".files[].engine_version"', 'one fact of many files'],
    ],
    exits: ['partly'],
    async run(context, { files, all }) {
      const described = await describe(context, files)
      context.out.result({ files: described }, () =>
        described.flatMap((file) => [...lines(file, context.out, all), '']).slice(0, -1),
      )
      const failures = described.filter(({ error }) => error !== undefined).length
      if (failures === 0) return exits.done
      return failures === described.length ? exits.failed : exits.partly
    },
  }),
]

async function describe({ cwd, signal }: Context, files: readonly string[]): Promise<FileDescription[]> {
  const paths = files.map((file) => resolve(cwd, file))
  const { readFiles } = await import('../../client/hash.ts')
  const read = new Map<number, ReadFile | UnreadFile>()
  await readFiles(
    paths.map((path) => ({ path, size: 0 })),
    { signal, onFile: (index, result) => read.set(index, result) },
  )
  return files.flatMap((file, at) => {
    const result = read.get(at)
    return result ? [describeFile(file, paths[at] ?? file, result)] : []
  })
}

const LABEL_WIDTH = 12
const mostReferences = 12

function lines(file: FileDescription, { paint }: Output, all: boolean): string[] {
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
    ...fact('problem', file.error ?? null),
    ...fact('class', file.asset_class),
    ...fact('name', file.asset_name),
    ...fact('path', file.package_name),
    ...fact('engine', file.engine_version),
    ...fact('GUID', file.package_guid),
    ...fact('size', file.size === null ? null : size(file.size)),
    ...fact('SHA-256', file.sha256),
    ...fact('picture', file.thumbnail && `${file.thumbnail.width} x ${file.thumbnail.height}`),
    ...Object.entries(file.metadata).flatMap(([name, value]) => fact(name.replaceAll('_', ' '), String(value))),
    ...list('needs', file.imports),
    ...list('refers to', file.soft_references),
  ]
}
