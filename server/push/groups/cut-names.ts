/** Packs and categories take the names of folders, which may be longer than a name may be: cut, and said so (contract-gaps 5). */
import type { CommitWarning, Manifest } from '../../../contract/push.ts'
import { categoryFolderOf, categoryOf, packFolderOf, packNameOf } from '../manifest.ts'
import type { Outcome } from '../outcome.ts'

interface Named {
  field: CommitWarning['field']
  folder: string | undefined
  name: string | null
}

/** One warning for each folder whose name was cut for what this commit named after it, with the items that brought it. */
export function cutNames(manifest: Manifest, { versions, byHash }: Outcome): CommitWarning[] {
  const warnings = new Map<string, CommitWarning>()
  for (const item of manifest.items) {
    const { content_hash, origin_path: path } = item
    const lineage = byHash.get(content_hash)
    const named: Named[] = []
    if (versions.has(content_hash) && !item.pack_ref && !manifest.pack_id)
      named.push({ field: 'pack', folder: packFolderOf(path), name: packNameOf(path) })
    if (lineage?.facePath === path && lineage?.entry?.changed && lineage.entry.category && !lineage.entry.known?.category_locked)
      named.push({ field: 'category', folder: categoryFolderOf(path), name: categoryOf(path) })
    for (const one of named) add(warnings, one, content_hash)
  }
  return [...warnings.values()]
}

function add(warnings: Map<string, CommitWarning>, { field, folder, name }: Named, contentHash: string): void {
  if (folder === undefined || name === null || folder === name) return
  const known = warnings.get(`${field} ${folder}`)
  if (known) known.content_hashes.push(contentHash)
  else
    warnings.set(`${field} ${folder}`, {
      type: 'name_cut',
      field,
      folder,
      name,
      message: messageOf(field, folder, name),
      content_hashes: [contentHash],
    })
}

const messageOf = (field: CommitWarning['field'], folder: string, name: string): string =>
  `The folder ${folder} has a name of ${folder.length} characters; its ${field} is named by the first ${[...name].length}.`
