/** `ph download`: files of the library to disk: one, current or earlier, or many with what they need, laid out as they were pushed. */

import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { plainName } from '../../client/download/layout.ts'
import { downloadFile } from '../../client/download/one-file.ts'
import type { Wish } from '../../client/download/sources.ts'
import { requireEntryId, requireEntryIds } from '../../client/entries/reference.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError, exits } from '../../contract/errors.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import { extensionOf } from '../../formats/package-place.ts'
import { command, flag, text, value } from '../command.ts'
import { requireWire } from '../connection.ts'
import type { Context } from '../context.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { chooseVersion, readVersionChoice, type VersionChoice } from '../entries/version-name.ts'
import { type Library, withLibrary } from '../library.ts'
import { requireCacheSize } from '../pull-orders/cache-room.ts'
import { wrongUsage } from '../refusal.ts'
import { size } from '../terminal/amounts.ts'
import { openDisplay } from '../terminal/progress-display.ts'
import { downloadWords } from './download/words.ts'
import { pullModel } from './pull/progress.ts'

export const commands = [
  command({
    usage: 'download <entries...>',
    description:
      'One entry comes as one file. Several entries, or one with --to or --with-deps, are laid out as they were pushed: source files in the folders that they had, packages below Content, and the files that glTF and OBJ files name where those look for them. Every file is checked before it appears. A file that is there with other content is not replaced without --force. After an interruption the same command goes on where it stopped.',
    arguments: { entries: entriesArgument },
    options: {
      to: text('--to <folder>', 'lay the files out in this folder; a missing one is made (default: this folder)'),
      withDeps: flag('--with-deps', 'with everything they need'),
      version: value(
        '--version <version>',
        'an earlier version of one entry, such as v2, as `ph history` lists it',
        readVersionChoice,
      ),
      output: text('-o, --output <path>', 'for one entry: the file or folder to write to; a missing folder is made'),
      force: flag('--force', 'replace files that hold something else'),
    },
    examples: [
      ['download SM_Barrel', 'its current version, into this folder'],
      ['download table.gltf --with-deps --to ./table', 'a model with its buffers and textures, ready to be opened'],
      ['search rock --type "source mesh" --ids | ph download - --to ./rocks', 'all that a search finds'],
      ['download SM_Barrel --version v2 -o old/SM_Barrel.uasset', 'an earlier version, under a name of its own'],
    ],
    exits: ['conflict', 'partly'],
    async run(context, { entries: given, to, withDeps, version, output, force }) {
      const references = await readEntryList(context, given)
      const [reference = '', ...others] = references
      const isAlone = others.length === 0 && to === undefined && !withDeps
      if (!isAlone && output !== undefined)
        throw wrongUsage('-o names the file of one entry alone.', 'Name a folder instead: --to <folder>')
      if (others.length > 0 && version) throw wrongUsage('--version is for one entry.', 'Download each by itself.')
      if (!isAlone) return downloadAll(context, { references, version, to: resolve(context.cwd, to ?? '.'), withDeps, force })
      await downloadOne(context, { reference, version, output: output ?? '.', force })
      return undefined
    },
  }),
]

interface OneWish {
  reference: string
  version: VersionChoice | undefined
  output: string
  force: boolean
}

const downloadOne = (context: Context, { reference, version, output, force }: OneWish): Promise<void> =>
  withLibrary(context, async ({ api, http }) => {
    const entry_id = await requireEntryId(api, reference)
    const entry = await api.entries.get({ entry_id })
    const object = await versionOf(api, entry, version)
    const path = await pathFor(context.cwd, output, fileName(entry, object))
    const { outcome, resumedBytes } = await downloadFile(http, {
      locate: async () => (await api.entries.download({ entry_id, object_id: object.object_id })).location,
      contentHash: object.content_hash,
      sizeBytes: object.blob_size,
      path,
      force,
      signal: context.signal,
    })
    const { content_hash, object_id, version: number, blob_size } = object
    const words = outcome === 'present' ? `${path} holds this version already.` : `${path}, ${size(blob_size)}, checked.`
    const resumed = resumedBytes > 0 ? ` Went on after the ${size(resumedBytes)} of an earlier try.` : ''
    context.out.result(
      { entry_id, object_id, version: number, content_hash, size: blob_size, path, outcome },
      `${words}${resumed}`,
    )
  })

interface ManyWish {
  references: readonly string[]
  version: VersionChoice | undefined
  to: string
  withDeps: boolean
  force: boolean
}

async function downloadAll(context: Context, { references, version, to, withDeps, force }: ManyWish): Promise<number> {
  const wire = await requireWire(context)
  const cacheBytes = requireCacheSize(context)
  const [{ createApi }, { downloadMany }, { openWire }] = await Promise.all([
    import('../../client/http/api.ts'),
    import('../../client/download/download.ts'),
    import('../../client/http/open-http.ts'),
  ])
  const { tell, hide } = openDisplay(context, pullModel)
  const http = openWire(wire, tell)
  try {
    const api = createApi(http)
    const entryIds = await requireEntryIds(api, references)
    const wish: Wish = { entryIds, withDeps, ...(version && { version: await chosenVersion(api, entryIds, version) }) }
    const { folders } = wire
    const { signal } = context
    const report = await downloadMany({ calls: api, http, wish, to, force, tell, signal, folders, cacheBytes }).finally(hide)
    context.out.result(report, () => downloadWords(report, context.out))
    return report.left_out.length > 0 ? exits.partly : exits.done
  } finally {
    await hide()
    await http.close('destroy')
  }
}

async function chosenVersion(api: Library['api'], entryIds: readonly number[], version: VersionChoice): Promise<LineageObject> {
  const entry = await api.entries.get({ entry_id: entryIds[0] ?? 0 })
  return versionOf(api, entry, version)
}

async function versionOf(api: Library['api'], entry: EntryDetail, choice: VersionChoice | undefined): Promise<LineageObject> {
  const { objects } = await api.lineages.get({ lineage_id: entry.lineage_id })
  if (choice) return chooseVersion(objects, choice, entry.name)
  const current = objects.find(({ object_id }) => object_id === entry.object_id)
  if (current) return current
  throw new ApiError('OBJECT_NOT_FOUND', `The current version of ${entry.name} was deleted meanwhile.`)
}

function fileName(entry: EntryDetail, { source_ext, asset_class, asset_name, origin_path }: LineageObject): string {
  const stem = origin_path?.split('/').at(-1) ?? asset_name ?? entry.name
  return `${plainName(stem)}.${extensionOf({ source_ext, asset_class })}`
}

/** Where the file goes. What ends in a slash is a folder, also one that is not there yet. */
async function pathFor(cwd: string, output: string, name: string): Promise<string> {
  const to = resolve(cwd, output)
  const isFolder = /[/\\]$/.test(output) || (await stat(to).catch(() => undefined))?.isDirectory()
  return isFolder ? join(to, name) : to
}
