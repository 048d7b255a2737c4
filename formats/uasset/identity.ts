// Who an Unreal package is: its stable guid, its own name, where a redirector points.
import type { NameTable } from './names.ts'
import { packageOfObject } from './soft-references.ts'
import type { Summary } from './summary.ts'

/** `value` is the engine's form of a guid, 32 upper-case hex digits. */
export type StableGuid = { value: string; source: 'persistent_guid' | 'package_guid' }

/**
 * The identity that outlives a save: the persistent guid unless zero; in files from before there was one (UE4 object
 * version 518) the package guid, which a later engine carries on. Else there is none.
 */
export function stableGuid(summary: Summary): StableGuid | null {
  if (summary.persistentGuid !== null) return { value: summary.persistentGuid, source: 'persistent_guid' }
  if (summary.packageGuid === null || summary.versions.ue4 >= 518) return null
  return { value: summary.packageGuid, source: 'package_guid' }
}

/** The long name that the summary holds from 5.1 on; null before. */
export function nameInSummary(folderName: string): string | null {
  return folderName.startsWith('/') ? folderName : null
}

/**
 * Names of the table that may be the package's own: a path, no import, its last segment the file's stem, or the stem
 * without its trailing number, which is not stored with the name. A hint, not enough to make a name up.
 */
export function ownNameCandidates(names: NameTable, stem: string, imports: string[]): string[] {
  const imported = new Set(imports.map((name) => name.toLowerCase()))
  const name = stem.toLowerCase()
  const unnumbered = name.replace(/_\d+$/, '')
  const found = new Set<string>()
  const foundUnnumbered = new Set<string>()
  for (const path of names.paths()) {
    const last = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    if ((last !== name && last !== unnumbered) || imported.has(path.toLowerCase())) continue
    if (last === name) found.add(path)
    else foundUnnumbered.add(path)
  }
  return [...(found.size > 0 ? found : foundUnnumbered)].sort()
}

/** The own name as far as it is sure: from the summary, else from the tags that hold it, else the only candidate. */
export function surestOwnName(inSummary: string | null, tags: Map<string, string>, candidates: string[]): string | null {
  if (inSummary !== null) return inSummary
  const map = tags.get('PrimaryAssetName')
  if (map?.startsWith('/')) return map
  const generated = packageInText(tags.get('GeneratedClass') ?? '')
  if (generated !== null) return generated
  return candidates.length === 1 ? (candidates[0] ?? null) : null
}

/** Where a redirector leads: its tag says it, else its only import that is not native code. */
export function redirectTarget(assetClass: string | null, tags: Map<string, string>, imports: string[]): string | null {
  if (assetClass !== 'ObjectRedirector') return null
  const tagged = packageInText(tags.get('DestinationObject') ?? '')
  if (tagged !== null) return tagged
  const candidates = imports.filter((name) => !name.startsWith('/Script/'))
  return candidates.length === 1 ? (candidates[0] ?? null) : null
}

/** `/Script/Engine.Material'/Game/M_Rock.M_Rock'`, with or without the class in front, names `/Game/M_Rock`. */
function packageInText(text: string): string | null {
  const path = text.endsWith("'") ? text.slice(text.indexOf("'") + 1, -1) : text
  return path.startsWith('/') ? packageOfObject(path) : null
}
