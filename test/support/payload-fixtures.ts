// Packages saved by real editors whose source data are known, where PH_FIXTURES names their folder.
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fixtureFolder } from './real-packages.ts'

/** One record of payloads-expected.json, as far as pictures and sounds have it; meshes have more. */
export type ExpectedSource = {
  class: string
  engine: string
  width?: number
  height?: number
  format?: string
  compression?: string
  rgba8_sha256?: string
  sample_rate?: number
  channels?: number
  bits?: number
  format_tag?: number
  data_bytes?: number
  duration_s?: number
  pcm_sha256?: string
}

export type SourcePackage = { path: string; stem: string; bytes: Buffer; expected: ExpectedSource }

/** The packages whose main asset is of one of the classes. */
export function sourcePackages(...classes: string[]): SourcePackage[] {
  if (fixtureFolder === undefined) return []
  const folder = fixtureFolder
  const records: Record<string, ExpectedSource> = JSON.parse(readFileSync(join(folder, 'payloads-expected.json'), 'utf8'))
  return Object.entries(records).flatMap(([path, expected]) =>
    classes.includes(expected.class)
      ? [{ path, stem: basename(path, extname(path)), bytes: readFileSync(join(folder, path)), expected }]
      : [],
  )
}
