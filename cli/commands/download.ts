/** `ph download`: one file of the library, current or earlier version, to disk. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { downloadFile } from '../../client/download.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import { size } from '../amounts.ts'
import { command, flag, text, value } from '../command.ts'
import { requireEntryId } from '../entry-reference.ts'
import { type Library, withLibrary } from '../library.ts'
import { wholeNumber } from '../refusal.ts'

export const commands = [
  command({
    usage: 'download <entry>',
    description:
      'Only this file, not what it needs. The bytes are checked before the file appears. An interrupted download goes on where it stopped when it is run again.',
    arguments: { entry: 'its id, its name or its /Game path' },
    options: {
      version: value(
        '--version <id>',
        'an earlier version, by its id in `ph history`',
        wholeNumber('--version', 1, Number.MAX_SAFE_INTEGER),
      ),
      output: text('-o, --output <path>', 'file or folder to write to, made if need be (default: this folder)'),
      force: flag('--force', 'replace a file that holds something else'),
    },
    examples: [
      ['download SM_Barrel', 'its current version, into this folder'],
      ['download SM_Barrel --version 17 -o old/SM_Barrel.uasset', 'an earlier version, under a name of its own'],
    ],
    async run(context, { entry: reference, version, output = '.', force }) {
      await withLibrary(context, async ({ api, http }) => {
        const entry_id = await requireEntryId(api, reference)
        const entry = await api.entries.get({ entry_id })
        const object = await versionOf(api, entry, version)
        const path = await placeFor(context.cwd, output, fileName(entry, object))
        const { outcome, resumedBytes } = await downloadFile(http, {
          locate: async () => (await api.entries.download({ entry_id, object_id: object.object_id })).location,
          contentHash: object.content_hash,
          sizeBytes: object.blob_size,
          path,
          force,
          signal: context.signal,
        })
        const { content_hash, object_id, blob_size } = object
        const words = outcome === 'present' ? `${path} holds this version already.` : `${path}, ${size(blob_size)}, checked.`
        const resumed = resumedBytes > 0 ? ` Went on after the ${size(resumedBytes)} of an earlier try.` : ''
        context.out.result({ entry_id, object_id, content_hash, size: blob_size, path, outcome }, `${words}${resumed}`)
      })
      return undefined
    },
  }),
]

async function versionOf(api: Library['api'], entry: EntryDetail, version = entry.object_id): Promise<LineageObject> {
  const { objects } = await api.lineages.get({ lineage_id: entry.lineage_id })
  const found = objects.find(({ object_id }) => object_id === version)
  if (found) return found
  throw new ApiError('OBJECT_NOT_FOUND', `${entry.name} has no version ${version}.`)
}

/** Levels are .umap, other packages .uasset, source files keep their extension (contract-gaps 4). */
function fileName(entry: EntryDetail, { source_ext, asset_class, asset_name, origin_path }: LineageObject): string {
  const stem = origin_path?.split('/').at(-1) ?? asset_name ?? entry.name
  const extension = source_ext ?? (asset_class === 'World' ? 'umap' : 'uasset')
  return `${safeName(stem)}.${extension}`
}

/** A name from the library as the name of a file on any system. */
const safeName = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file name may hold them
  name.replace(/[\u0000-\u001f<>:"/\\|?*]/g, '_').replace(/^\.+|[. ]+$/g, '_') || 'entry'

/** Where the file goes; its folder is made. What ends in a slash is a folder, also one that is not there yet. */
async function placeFor(cwd: string, output: string, name: string): Promise<string> {
  const to = resolve(cwd, output)
  const isFolder = /[/\\]$/.test(output) || (await stat(to).catch(() => undefined))?.isDirectory()
  const path = isFolder ? join(to, name) : to
  await mkdir(dirname(path), { recursive: true })
  return path
}
