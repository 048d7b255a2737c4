/**
 * What a sender does not know, said as if it were known: engine 0.0.0, a GUID of zeros, an empty text. Kept, it would be shown, make
 * one prop of many, and never be filled by the one who knows better; so it is absent (contract-gaps 5).
 */
import type { Manifest, ManifestItem } from '../../contract/push.ts'
import { isUnknownEngine, knownEngine } from '../../formats/engine-version.ts'

/** The same manifest; what says that it is unknown is null, and accents in names are composed: one name is one text. */
export const withoutUnknowns = (manifest: Manifest): Manifest => ({
  ...manifest,
  note: manifest.note?.trim() || null,
  items: manifest.items.map(knownItem),
  ...(manifest.packs ? { packs: manifest.packs.map((pack) => knownPackFields({ ...pack, name: composed(pack.name) })) } : {}),
})

export const composed = (name: string): string => name.normalize('NFC')

const isZeroGuid = (guid: string): boolean => /^[-{}0]+$/.test(guid)

function knownItem(item: ManifestItem): ManifestItem {
  const { engine_version, package_guid, source_path, entry } = item
  const known = { ...item }
  if (source_path) known.source_path = composed(source_path)
  if (entry) known.entry = { ...entry, name: composed(entry.name) }
  if (engine_version && isUnknownEngine(engine_version)) known.engine_version = null
  if (package_guid && isZeroGuid(package_guid)) known.package_guid = null
  return known
}

const packTexts = ['source_path', 'engine_version', 'product_url'] as const
type PackTexts = { [F in (typeof packTexts)[number]]?: string | null | undefined }

/** The same fields of a pack; empty ones are null, those that are left out stay so. */
export function knownPackFields<P extends PackTexts>(pack: P): P {
  const known: P = { ...pack }
  for (const field of packTexts) if (known[field]?.trim() === '') known[field] = null as P[typeof field]
  if (known.engine_version) known.engine_version = knownEngine(known.engine_version) as P['engine_version']
  return known
}
