/** What a file says of itself, in the form of `ph inspect --json`. Without a server and without changing anything. */
import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { FileFacts, KnownPackage } from '../../../client/project/file-facts.ts'
import type { ReadFile, UnreadFile } from '../../../client/project/file-reader.ts'
import { extensionOf } from '../../../client/project/scan.ts'
import { locate, packageNameAt } from '../../../client/project/unreal-project.ts'
import type { EntryMetadata } from '../../../formats/entry-metadata.ts'
import type { SourceFacts } from '../../../previews/source-data/source-facts.ts'

export interface FileDescription {
  /** As it was named. */
  file: string
  sha256: string | null
  size: number | null
  /** Why the file, or what it holds, could not be read; a sentence. */
  error?: string
  format: string | null
  asset_class: string | null
  asset_name: string | null
  /** The long name in the file, else the one its folder gives it. */
  package_name: string | null
  /** `package_name` where the library can take it as the path of an entry. */
  origin_path: string | null
  package_guid: string | null
  engine_version: string | null
  /** Packages below /Game that this one cannot do without. */
  imports: string[]
  /** Those of plugins; the engine's own are left out. */
  plugin_imports: string[]
  soft_references: string[]
  thumbnail: { width: number; height: number } | null
  metadata: EntryMetadata
  /** With `--source`: what its mesh, picture or sound measures; null for a file without one. */
  source?: SourceDescription | null
}

/** `unsupported`: why what is in the file cannot be read by this ph; `error`: what is wrong with it. */
export type SourceDescription = SourceFacts | { unsupported: string } | { error: string }

const blank = {
  asset_class: null,
  asset_name: null,
  package_name: null,
  origin_path: null,
  package_guid: null,
  engine_version: null,
  imports: [],
  plugin_imports: [],
  soft_references: [],
  thumbnail: null,
  metadata: {},
}

/** `read` is what the reader brought back for `path`. */
export function describeFile(file: string, path: string, read: ReadFile | UnreadFile): FileDescription {
  const format = extensionOf(basename(path)) || null
  if ('unread' in read) return { file, sha256: null, size: null, error: unreadWords(read), format, ...blank }
  const { hash: sha256, size, facts } = read
  const error = errorOf(facts)
  return { file, sha256, size, ...(error === null ? {} : { error }), format, ...blank, ...known(facts, path) }
}

const unreadSentences: Record<string, string> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'This is a folder; name the files in it.',
  EACCES: 'The file may not be opened.',
  CHANGED: 'The file changed while it was read.',
}
const unreadWords = ({ code }: UnreadFile): string => unreadSentences[code] ?? `The file cannot be read (${code}).`

function errorOf(facts: FileFacts): string | null {
  if (facts.kind === 'refused') return facts.message
  return facts.kind === 'package' ? null : facts.undescribed
}

function known(facts: FileFacts, path: string): Partial<FileDescription> {
  if (facts.kind === 'package') return packageFields(facts, path)
  if (facts.kind !== 'source') return {}
  return { format: facts.format, asset_class: facts.assetClass, metadata: facts.metadata }
}

function packageFields(facts: KnownPackage, path: string): Partial<FileDescription> {
  const package_name = facts.packageName ?? nameByFolder(path) ?? facts.ownNames[0] ?? null
  return {
    asset_class: facts.assetClass,
    asset_name: facts.assetName,
    package_name,
    origin_path: package_name !== null && /^\/Game(\/[A-Za-z0-9_-]+)+$/.test(package_name) ? package_name : null,
    package_guid: facts.guid,
    engine_version: facts.engineVersion,
    imports: facts.imports.filter((name) => name.startsWith('/Game/')),
    plugin_imports: facts.imports.filter((name) => !/^\/(Game|Engine)\//.test(name)),
    soft_references: facts.softReferences,
    thumbnail: facts.picture && { width: facts.picture.width, height: facts.picture.height },
    metadata: facts.metadata,
  }
}

/** What a package is called by where it lies; undefined outside of any Content folder. */
function nameByFolder(path: string): string | undefined {
  const whole = resolve(path)
  const { mount } = locate(dirname(whole))
  return mount && packageNameAt(mount, relative(mount.folder, whole).split(sep).join('/'))
}
