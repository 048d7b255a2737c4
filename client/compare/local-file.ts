/** A file of a project here as one side of a comparison: read as a push reads it. */
import { basename, join } from 'node:path'
import { levelsOf } from '../../contract/level-parts.ts'
import type { EntryMetadata as FileMetadata } from '../../formats/entry-metadata.ts'
import { ClientError } from '../client-error.ts'
import type { FileFacts } from '../project/file-facts.ts'
import { FileReader } from '../project/file-reader.ts'
import { statKey } from '../project/fingerprint.ts'
import { findNamedPaths } from '../project/paths.ts'
import { namingOf, type SendableFile } from '../project/project-file.ts'
import { scan } from '../project/scan.ts'
import type { ComparedNeed, ComparedVersion, Measures } from './compare.ts'

export interface LocalFile extends ComparedVersion {
  file: string
  /** Where it lies, absolute. */
  path: string
  /** Its picture, made when asked for; undefined where there is none. */
  picture(): Promise<Uint8Array | undefined>
}

/** `file` is below `root`, with `/`. Throws ClientError `FILE_UNREADABLE`. */
export async function readLocalFile(root: string, file: string): Promise<LocalFile> {
  const path = join(root, file)
  const { starts } = findNamedPaths([path])
  const [found] = (await scan(root, starts)).files
  const read = await new FileReader().read(path)
  if (!found || 'unread' in read) throw unreadable(file, 'unread' in read ? read.code : 'ENOENT')
  const { facts, hash, size } = read
  if (facts.kind === 'refused') throw new ClientError('FILE_UNREADABLE', `${file}: ${facts.message}`, { next: nextWhereDamaged })
  const { originPath } = namingOf(found, facts)
  return {
    ...{ file, path, object_id: null, content_hash: hash, blob_size: size, origin_path: originPath },
    asset_class: classOf(facts),
    engine_version: facts.kind === 'package' ? (facts.engineVersion ?? found.mount?.engineVersion ?? null) : null,
    metadata: facts.kind === 'opaque' ? null : toShown(facts.metadata),
    needs: needsOf(facts),
    ...{ missing_dependencies: [], plugins: [], pushed_at: null, pushed_by: null, push_note: null, thumbnail_artifact_id: null },
    ...{ preview_artifact_id: null, preview_kind: null, source_ext: null },
    picture: () => pictureOf(path, facts),
  }
}

const nextWhereDamaged = 'Save it again in the editor, or bring the version of the library back with `ph pull`.'

const unreadable = (file: string, code: string): ClientError =>
  new ClientError('FILE_UNREADABLE', `${file} cannot be read (${code}).`)

const classOf = (facts: SendableFile['facts']): string =>
  facts.kind === 'opaque' ? (facts.isPackage ? 'Unknown' : 'SourceFile') : (facts.assetClass ?? 'Unknown')

/** As the library shows it: the bounds as one object. */
function toShown({ bounds_x, bounds_y, bounds_z, ...measures }: FileMetadata): Measures {
  const [x = null, y = null, z = null] = [bounds_x, bounds_y, bounds_z]
  return { ...measures, bounds: x === null && y === null && z === null ? null : { x, y, z } }
}

/** Packages under /Game, and the files that belong to a source file. Parts of a level lie beside it and are named by no header. */
function needsOf(facts: SendableFile['facts']): ComparedNeed[] | null {
  if (facts.kind === 'opaque' || (facts.kind === 'package' && !facts.complete)) return null
  const unknown = { lineage_id: null, object_id: null }
  if (facts.kind === 'source')
    return facts.companions.map((address) => ({ name: basename(decodeName(address)), path: null, ...unknown }))
  const paths = new Map([...facts.imports, ...facts.softReferences].map((name) => [name.toLowerCase(), name]))
  return [...paths.values()]
    .filter((name) => /^\/game\//i.test(name) && levelsOf(name).length === 0)
    .map((path) => ({ name: path.split('/').at(-1) ?? path, path, ...unknown }))
}

function decodeName(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

async function pictureOf(path: string, facts: FileFacts): Promise<Uint8Array | undefined> {
  if (facts.kind === 'refused' || facts.kind === 'opaque') return undefined
  const [{ makeThumbnail }, { stat }] = await Promise.all([import('../project/thumbnail.ts'), import('node:fs/promises')])
  const made = await makeThumbnail(path, { facts, found: { stat: statKey(await stat(path, { bigint: true })) } })
  return 'png' in made ? made.png : undefined
}
