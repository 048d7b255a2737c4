// The header reader against what an independent reader found in 600 packages of 57 engine builds.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import { ExportTable } from '../../formats/uasset/exports.ts'
import { ImportTable } from '../../formats/uasset/imports.ts'
import { NameTable } from '../../formats/uasset/names.ts'
import { PackageReader } from '../../formats/uasset/reader.ts'
import { readRegistry } from '../../formats/uasset/registry.ts'
import { readOpening, readPreamble, readSummary } from '../../formats/uasset/summary.ts'
import { readThumbnailTable } from '../../formats/uasset/thumbnail-table.ts'
import { firstReadBytes, headerSize, isPackage, type PackageFacts, readPackage } from '../../formats/uasset/uasset.ts'
import { type ExpectedPackage, fixtureFolder, type RealPackage, realPackages } from '../support/real-packages.ts'

const all = realPackages()
const readable = all.filter(({ expected }) => expected.error === undefined)

/** Reads as callers do: the first bytes tell the header's length, and no more of the file is read. */
function describePackage({ bytes, stem }: RealPackage): PackageFacts {
  const size = headerSize(bytes.subarray(0, firstReadBytes))
  return readPackage(bytes.subarray(0, size), { stem, fileSize: bytes.length })
}

const facts = new Map(readable.map((real) => [real.path, describePackage(real)]))
const of = ({ path }: RealPackage): PackageFacts => facts.get(path) ?? expect.fail(`${path} was not read`)
const ifReal = test.runIf(fixtureFolder)

/** Compares one aspect of every package at once, so that a failure shows the path and both values. */
function expectAll<Value>(ours: (real: RealPackage) => Value, theirs: (expected: ExpectedPackage) => Value): void {
  const pairs = (value: (real: RealPackage) => Value) => Object.fromEntries(readable.map((real) => [real.path, value(real)]))
  expect(pairs(ours)).toEqual(pairs(({ expected }) => theirs(expected)))
}

function tablesOf({ bytes, stem }: RealPackage) {
  const reader = new PackageReader(bytes, { what: 'package' })
  const summary = readSummary(reader, readPreamble(reader, readOpening(reader)))
  const names = new NameTable(reader, summary)
  const imports = new ImportTable(reader, names, summary)
  const exports = new ExportTable(reader, names, summary)
  return { reader, summary, names, imports, exports, registry: readRegistry(reader, summary, stem) }
}

ifReal('there are 600 of them, and each is recognised by its first four bytes', () => {
  expect(all).toHaveLength(600)
  expect(readable.filter(({ bytes }) => !isPackage(bytes))).toEqual([])
  expect(readable.filter((real) => !of(real).complete)).toEqual([])
})

ifReal('the name in the file, and names that look like it, are found', () => {
  expectAll(
    (real) => [of(real).packageName, of(real).ownNameCandidates],
    (expected) => [expected.package_name_in_file, expected.own_name_candidates_in_names],
  )
})

ifReal('the stable guid comes from where the engine keeps it', () => {
  expectAll(
    (real) => of(real).stableGuid,
    ({ stable_guid: value, stable_guid_source: source }) => (value === null ? null : { value, source }) as never,
  )
})

ifReal('versions, flags and the engine that saved it are read', () => {
  expectAll<unknown>(
    (real) => {
      const { savedBy, engineVersion, fileVersions, flags, cooked, containsMap } = of(real)
      return { savedBy, engineVersion, fileVersions, flags, cooked, containsMap }
    },
    (expected) => ({
      savedBy: expected.engine_saved_by,
      engineVersion: expected.engine_version_known ? expected.engine_version : null,
      fileVersions: expected.file_versions,
      flags: expected.package_flags,
      cooked: expected.cooked,
      containsMap: expected.contains_map,
    }),
  )
})

ifReal('the main asset and its class are told, by the registry and by the exports alike', () => {
  expectAll<unknown>(
    (real) => [of(real).assetName, of(real).assetClass],
    (expected) => [expected.asset_name, expected.asset_class],
  )
  expectAll<unknown>(
    (real) => {
      const { exports, imports } = tablesOf(real)
      return exports.mainAsset(real.stem, imports)
    },
    (expected) => ({ name: expected.asset_name, class: expected.asset_class_by_export }),
  )
})

ifReal('imported packages are complete, sorted and counted by where they lie', () => {
  const isOther = (name: string) => !name.startsWith('/Script/') && !name.startsWith('/Engine/')
  expectAll<unknown>(
    (real) => {
      const { imports } = of(real)
      const under = (mount: string) => imports.filter((name) => name.startsWith(mount))
      return [under('/Game/'), imports.filter(isOther), under('/Script/').length, under('/Engine/').length]
    },
    (expected) => [
      expected.import_packages_game,
      expected.import_packages_other,
      expected.import_packages_script_count,
      expected.import_packages_engine_count,
    ],
  )
})

ifReal('imports that only the editor needs are told apart where the file says so', () => {
  expectAll(
    (real) => of(real).editorOnlyImports?.filter((name) => name.startsWith('/Game/')) ?? null,
    (expected) => expected.import_packages_game_editor_only,
  )
})

ifReal('soft references are complete, without the own name', () => {
  expectAll(
    (real) => of(real).softReferences,
    ({ soft_package_refs: references, package_name: own }) =>
      references.filter((name) => name.toLowerCase() !== own?.toLowerCase()),
  )
})

ifReal('registry tags of the main asset are read whole', () => {
  const digest = (text: string) => ({ length: text.length, sha256_utf8: createHash('sha256').update(text).digest('hex') })
  expectAll<unknown>(
    (real) =>
      Object.fromEntries(
        [...of(real).tags].map(([key, value]) => {
          const shortened = typeof real.expected.asset_registry_tags[key] === 'object'
          return [key, shortened ? digest(value) : value]
        }),
      ),
    (expected) => expected.asset_registry_tags,
  )
})

ifReal('the picture is found byte for byte', () => {
  expectAll<unknown>(
    (real) => {
      const { thumbnail } = of(real)
      if (thumbnail === null) return null
      const { offset, length, ...rest } = thumbnail
      const sha256 = createHash('sha256')
        .update(real.bytes.subarray(offset, offset + length))
        .digest('hex')
      return { ...rest, sha256, bytes: length, offset: offset - 12 }
    },
    (expected) => expected.thumbnail,
  )
})

ifReal('a redirector leads to its one import outside native code', () => {
  expectAll<unknown>(
    (real) => of(real).redirectTarget,
    ({ asset_class, import_packages_other: imports }) => (asset_class === 'ObjectRedirector' ? imports[0] : null),
  )
})

ifReal('nothing is warned of but a version from the future', () => {
  expectAll<unknown>(
    (real) => of(real).warnings.map((warning) => /unknown to this reader/.test(warning)),
    (expected) => expected.warnings.map((warning) => /newer than known/.test(warning)),
  )
})

ifReal('guids, hashes and table sizes agree with the summary', () => {
  expectAll<unknown>(
    (real) => {
      const { reader, summary, names, imports, exports, registry } = tablesOf(real)
      const { packageGuid, persistentGuid, savedHash, folderName, compatibleWith } = summary
      const counts = {
        names: names.count,
        wide_names: names.wideCount,
        imports: imports.count,
        exports: exports.count,
        asset_registry_objects: registry?.objectCount,
        soft_object_paths: summary.softObjectPaths.count,
        thumbnails: readThumbnailTable(reader, summary, null).count,
      }
      return { packageGuid, persistentGuid, savedHash, folderName, compatibleWith: compatibleWith.version, counts }
    },
    (expected) => ({
      packageGuid: expected.package_guid,
      persistentGuid: expected.persistent_guid,
      savedHash: expected.saved_hash,
      folderName: expected.folder_name,
      compatibleWith: expected.engine_compatible_with,
      counts: expected.counts,
    }),
  )
})

ifReal('edge files are refused for their own reason', () => {
  const reasons = all
    .filter(({ path, expected }) => path.startsWith('edge/') && expected.error !== undefined)
    .map((real) => [real.path, reasonOf(() => describePackage(real))])
  expect(Object.fromEntries(reasons)).toEqual({
    'edge/absurd-name-count.uasset': 'damaged',
    'edge/empty.uasset': 'not-this-format',
    'edge/legacy-version-minus-10.uasset': 'unsupported',
    'edge/lfs-pointer.uasset': 'git-lfs-pointer',
    'edge/name-offset-past-end.uasset': 'damaged',
    'edge/negative-name-count.uasset': 'damaged',
    'edge/tag-only.uasset': 'truncated',
    'edge/text.uasset': 'not-this-format',
    'edge/three-bytes.uasset': 'not-this-format',
    'edge/truncated-exports.uasset': 'truncated',
    'edge/truncated-names.uasset': 'truncated',
    'edge/truncated-summary.uasset': 'truncated',
    'edge/truncated-thumbnail.uasset': 'truncated',
    'edge/ue3-like.uasset': 'unsupported',
    'edge/unversioned-like-cooked.uasset': 'described as cooked',
  })
})

ifReal('a package in the other byte order says the same as its original', () => {
  const named = (end: string) => readable.find(({ path }) => path.endsWith(end)) ?? expect.fail(`no ${end}`)
  const original = named('content/KawaiiPhysicsSample/Content/KawaiiPhysicsSample/Presets/KPP_Tail.uasset')
  const swapped = { ...named('edge/byteswapped.uasset'), stem: original.stem }
  expect(describePackage(swapped)).toEqual(of(original))
})
function reasonOf(read: () => PackageFacts): string {
  try {
    const { complete, cooked } = read()
    return cooked && !complete ? 'described as cooked' : 'read'
  } catch (error) {
    if (error instanceof FormatError) return error.reason
    throw error
  }
}
