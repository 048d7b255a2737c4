// The first part of a package: who saved it, and where everything else lies. Fields in file order.
import { createHash } from 'node:crypto'
import type { PackageBytes } from './package-bytes.ts'
import { type Offsets, type PackagePlan, packageTag, zeroGuid } from './package-plan.ts'

export type SummaryParts = {
  offsets: Offsets
  counts: { imports: number; softReferences: number }
  names: number
  out: PackageBytes
}

/** 864 is what every editor-saved file holds. */
const ue3Version = 864
const flags = { cooked: 0x200, unversionedProperties: 0x2000, containsMap: 0x20000, filterEditorOnly: 0x80000000 }
/** Versions of engine parts; the first one's is that of the main branch. */
const customVersions = [
  { key: '601D1886AC644F84AA16D3DE0DEAC7D6', version: 120 },
  { key: '375EC13C06E448FBB50084F0262A717E', version: 4 },
]
const mainBranchOf56 = 192

export function packageSummary(plan: PackagePlan, parts: SummaryParts): Buffer {
  const { out } = parts
  writeVersions(plan, parts)
  writeTables(plan, parts)
  writeIdentity(plan, parts)
  writeEngine(plan, out)
  out.i32(0, 0) // compression flags, compressed chunks
  out.u32(0).i32(0) // package source, additional packages to cook
  writeTail(plan, parts)
  return out.toBuffer()
}

function writeVersions({ release, cooked, payload }: PackagePlan, { out, offsets }: SummaryParts): void {
  const { legacyVersion, ue4Version: v4, ue5Version: v5 } = release
  const unversioned = cooked === 'unversioned'
  out.u32(packageTag).i32(legacyVersion, unversioned ? 0 : ue3Version, unversioned ? 0 : v4)
  if (legacyVersion <= -8) out.i32(unversioned ? 0 : v5)
  out.i32(0)
  if (v5 >= 1016) out.raw(createHash('sha1').update(payload).digest()).i32(offsets.end)
  out.i32(unversioned ? 0 : customVersions.length)
  for (const [index, { key, version }] of (unversioned ? [] : customVersions).entries()) {
    out.guid(key).i32(index === 0 && v5 >= 1014 ? mainBranchOf56 + v5 - 1014 : version)
  }
  if (v5 < 1016) out.i32(offsets.end)
}

function writeTables(plan: PackagePlan, { out, offsets, counts, names }: SummaryParts): void {
  const { ue5Version: v5 } = plan.release
  out.string(v5 >= 1008 ? plan.packageName : 'None').u32(packageFlags(plan))
  out.i32(names, offsets.names)
  if (v5 >= 1008) out.i32(counts.softReferences, offsets.softPaths)
  if (!plan.cooked) out.string(plan.persistentGuid)
  out.i32(0, 0) // gatherable text
  out.i32(plan.exports.length, offsets.exports, counts.imports, offsets.imports)
  if (v5 >= 1015) out.i32(0, 0, 0, 0) // Verse cells
  if (v5 >= 1014) out.i32(offsets.metadata)
  out.i32(offsets.depends, counts.softReferences, offsets.softReferences, offsets.searchableNames)
  out.i32(plan.cooked ? 0 : offsets.pictureTable)
  if (v5 >= 1018) out.i32(0, 0) // import type hierarchies
}

function packageFlags({ assetClass, cooked }: PackagePlan): number {
  const map = assetClass === 'World' ? flags.containsMap : 0
  if (cooked === undefined) return map
  return map + flags.cooked + flags.filterEditorOnly + (cooked === 'unversioned' ? flags.unversionedProperties : 0)
}

function writeIdentity({ release, cooked, saveGuid, persistentGuid, exports }: PackagePlan, { out, names }: SummaryParts): void {
  if (release.ue5Version < 1016) out.guid(saveGuid)
  if (release.ue4Version >= 518 && !cooked) {
    out.guid(persistentGuid)
    if (release.ue4Version < 520) out.guid(zeroGuid) // owner
  }
  out.i32(1, exports.length, names) // generations
}

/** "Saved by" and "compatible with", which a release gives without its patch number. */
function writeEngine({ release, sourceBuild, cooked }: PackagePlan, out: PackageBytes): void {
  const unknown = sourceBuild || cooked === 'unversioned'
  const { major, minor, patch, changelist, branch } = unknown
    ? { major: 0, minor: 0, patch: 0, changelist: 0, branch: '' }
    : release
  out.u16(major).u16(minor).u16(patch).u32(changelist).string(branch)
  out.u16(major).u16(minor).u16(0).u32(changelist).string(branch)
}

function writeTail(plan: PackagePlan, { out, offsets, names }: SummaryParts): void {
  const { ue5Version: v5 } = plan.release
  out.i32(plan.cooked ? 0 : offsets.registry).i64(offsets.end + plan.payload.length) // bulk data begins where nothing is
  out.i32(0, 0) // world tile, chunk ids
  out.i32(plan.cooked ? 0 : -1, 0) // preload dependencies
  if (v5 >= 1001) out.i32(names)
  if (v5 >= 1002) out.i64(-1) // payload table of contents
  if (v5 >= 1009) out.i32(-1) // data resources
}
