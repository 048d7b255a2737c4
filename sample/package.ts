// Writes an Unreal package as an editor saves it: a whole, valid header for any release from 4.22 to 5.7, then a payload.
import { labelNames } from './label.ts'
import { NameTable, PackageBytes } from './package-bytes.ts'
import {
  moduleOf,
  type Offsets,
  type PackagePlan,
  type PackageSpec,
  packageTag,
  planPackage,
  type Segments,
  segmentNames,
  zeroGuid,
} from './package-plan.ts'
import { packageSummary } from './package-summary.ts'

/** The package as one buffer. The same spec gives the same bytes. */
export async function writePackage(spec: PackageSpec): Promise<Buffer> {
  const plan = await planPackage(spec)
  const unplaced = Object.fromEntries([...segmentNames, 'end'].map((name) => [name, 0])) as Offsets
  const offsets = placeSegments(writeSegments(plan, unplaced))
  const segments = writeSegments(plan, offsets)
  const end = new PackageBytes(plan.bigEndian ?? false).u32(packageTag).toBuffer()
  return Buffer.concat([...segmentNames.map((name) => segments[name]), plan.payload, end])
}

/** Segments keep their lengths whatever the offsets are, so a first pass with zeros tells where everything lies. */
function placeSegments(segments: Segments): Offsets {
  const offsets: Partial<Offsets> = {}
  let end = 0
  for (const name of segmentNames) {
    offsets[name] = end
    end += segments[name].length
  }
  return { ...offsets, end } as Offsets
}

function writeSegments(plan: PackagePlan, offsets: Offsets): Segments {
  const names = new NameTable()
  const { rows, references } = importRows(plan)
  const counts = { imports: rows.length, softReferences: plan.softReferences?.length ?? 0 }
  const bytes = () => new PackageBytes(plan.bigEndian ?? false)
  const { ue5Version: v5 } = plan.release
  const editorData = !plan.cooked
  names.indexOf('None')
  names.indexOf(plan.packageName)
  if (plan.label !== undefined) for (const name of labelNames) names.indexOf(name)
  const tables = {
    imports: writeImports(plan, { rows, names, out: bytes() }),
    exports: writeExports(plan, { references, names, out: bytes(), offsets }),
    depends: plan.exports.reduce((out) => out.i32(1, references.get(plan.assetClass) ?? 0), bytes()).toBuffer(),
    softReferences: (plan.softReferences ?? []).reduce((out, name) => out.i32(...names.indexOf(name)), bytes()).toBuffer(),
    softPaths: v5 >= 1008 ? writeSoftPaths(plan, { names, out: bytes() }) : Buffer.alloc(0),
  }
  return {
    ...tables,
    summary: packageSummary(plan, { offsets, counts, names: names.entries.length, out: bytes() }),
    names: names.entries.reduce((out, entry) => out.string(entry).u16(0).u16(0), bytes()).toBuffer(),
    metadata: v5 >= 1014 ? bytes().i32(0, 0).toBuffer() : Buffer.alloc(0),
    searchableNames: bytes().i32(0).toBuffer(),
    pictures: editorData ? writePicture(plan, bytes()) : Buffer.alloc(0),
    pictureTable: editorData ? writePictureTable(plan, offsets, bytes()) : Buffer.alloc(0),
    registry: editorData ? writeRegistry(plan, { offsets, out: bytes(), counts }) : Buffer.alloc(0),
  }
}

type ImportRow = { module: string; className: string; outer: number; name: string }

/** Classes first, each in its module's package; then every needed package and the one object that is wanted of it. */
function importRows({ exports, assetClass, imports = [] }: PackagePlan) {
  const rows: ImportRow[] = []
  const references = new Map<string, number>()
  const core = '/Script/CoreUObject'
  const add = (row: ImportRow, as = row.name): number => {
    const known = references.get(as)
    if (known !== undefined) return known
    references.set(as, -rows.push(row))
    return -rows.length
  }
  const addPackage = (name: string) => add({ module: core, className: 'Package', outer: 0, name })
  for (const className of new Set([assetClass, ...exports.map((one) => one.className)])) {
    const outer = addPackage(moduleOf(className))
    add({ module: core, className: 'Class', outer, name: className })
  }
  for (const name of imports) {
    const outer = addPackage(name)
    add({ module: core, className: 'Object', outer, name: name.slice(name.lastIndexOf('/') + 1) }, `object of ${name}`)
  }
  return { rows, references }
}

function writeImports(
  plan: PackagePlan,
  { rows, names, out }: { rows: ImportRow[]; names: NameTable; out: PackageBytes },
): Buffer {
  for (const { module, className, outer, name } of rows) {
    out.i32(...names.indexOf(module), ...names.indexOf(className), outer, ...names.indexOf(name))
    if (plan.release.ue4Version >= 520 && !plan.cooked) out.i32(...names.indexOf('None'))
    if (plan.release.ue5Version >= 1003) out.i32(0)
  }
  return out.toBuffer()
}

type ExportTable = { references: Map<string, number>; names: NameTable; out: PackageBytes; offsets: Offsets }

/** The payload is shared out among the exports, the asset itself gets what is over. */
function writeExports(plan: PackagePlan, { references, names, out, offsets }: ExportTable): Buffer {
  const { ue5Version: v5 } = plan.release
  const share = Math.floor(plan.payload.length / plan.exports.length)
  let offset = offsets.end
  for (const [index, { name, className }] of plan.exports.entries()) {
    const size = index === 0 ? plan.payload.length - share * (plan.exports.length - 1) : share
    out.i32(references.get(className) ?? 0, 0, 0, 0, ...names.indexOf(name)).u32(3)
    out.i64(size).i64(offset).i32(0, 0, 0)
    if (v5 < 1005) out.guid(zeroGuid)
    if (v5 >= 1006) out.i32(0)
    out.i32(0, 0, index === 0 ? 1 : 0)
    if (v5 >= 1003) out.i32(0)
    out.i32(-1, 0, 0, 0, 0)
    if (v5 >= 1010 && plan.cooked !== 'unversioned') out.i64(0).i64(size)
    offset += size
  }
  return out.toBuffer()
}

function writeSoftPaths({ softReferences = [] }: PackagePlan, { names, out }: { names: NameTable; out: PackageBytes }): Buffer {
  for (const name of softReferences) {
    out.i32(...names.indexOf(name), ...names.indexOf(name.slice(name.lastIndexOf('/') + 1))).string('')
  }
  return out.toBuffer()
}

/** A JPEG is told by its negative height. */
function writePicture({ picture }: PackagePlan, out: PackageBytes): Buffer {
  if (picture === null) return out.i32(0, 0, 0).toBuffer()
  const { width, height, format, bytes } = picture
  return out
    .i32(width, format === 'jpeg' ? -height : height, bytes.length)
    .raw(bytes)
    .toBuffer()
}

function writePictureTable({ assetClass, assetName }: PackagePlan, offsets: Offsets, out: PackageBytes): Buffer {
  return out.i32(1).string(assetClass).string(assetName).i32(offsets.pictures).toBuffer()
}

type Registry = {
  offsets: Offsets
  out: PackageBytes
  counts: { imports: number; softReferences: number }
}

function writeRegistry(plan: PackagePlan, { offsets, out, counts }: Registry): Buffer {
  const objects = new PackageBytes(plan.bigEndian ?? false).i32(plan.exports.length)
  for (const [index, { name, className }] of plan.exports.entries()) {
    const fullName = plan.release.ue5Version >= 1008 ? `${moduleOf(className)}.${className}` : className
    const tags = index === 0 ? Object.entries(plan.tags ?? {}) : []
    objects.string(name).string(fullName).i32(tags.length)
    for (const [key, value] of tags) objects.string(key).string(value)
  }
  if (plan.release.ue4Version < 521) return out.raw(objects.toBuffer()).toBuffer()
  out.i64(offsets.registry + 8 + objects.length).raw(objects.toBuffer())
  for (const bits of [counts.imports, counts.softReferences]) {
    out.i32(bits)
    for (let word = 0; word < bits; word += 32) out.i32(-1)
  }
  if (plan.release.ue5Version >= 1013) out.i32(0)
  return out.toBuffer()
}
