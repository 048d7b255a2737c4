/** Both sides of a conflict as a person wants to see them: whose, when, which version, pictures, and what differs. */

import { statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compare } from '../../client/compare/compare.ts'
import { differenceWords } from '../../client/compare/difference-words.ts'
import { readVersion } from '../../client/compare/library-version.ts'
import { type LocalFile, readLocalFile } from '../../client/compare/local-file.ts'
import { versionName, versionNumber } from '../../client/entries/current-version.ts'
import { whoseProp } from '../../client/entries/whose-prop.ts'
import { createApi } from '../../client/http/api.ts'
import type { Http } from '../../client/http/http.ts'
import { openWire, type Wire } from '../../client/http/open-http.ts'
import type { OtherProp } from '../../client/pull/compare.ts'
import type { AgentConflict } from '../../contract/agent-imports.ts'
import { limits } from '../../contract/limits.ts'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { isPictureWithin } from '../../formats/pictures/decoding.ts'

/** A file that is asked about, or was kept: what a pull says of it. */
export interface PulledOver {
  file: string
  jobId: number
  lineageId: string
  /** The version that comes in. */
  objectId: number
  hash: string
  size: number
  destination: string
  localHash: string | null
  baseObjectId: number | null
  isChanged: boolean
  isOpen: boolean
  /** The prop that lies there, where it is another one. */
  other?: OtherProp
}

export interface Place {
  wire: Wire
  root: string
  /** Where pictures are written. */
  pictures: string
  /** Of who works here. */
  person: string | null
}

export type ConflictDetails = Pick<AgentConflict, 'local' | 'incoming' | 'differences'>

/** Looked up for so many of the conflicts of one import; the others are asked with what the pull knows of them. */
const mostLookedUp = 100

/** In the order of `files`. What cannot be learnt, as without the server or in time, is null. */
export async function findDetails(files: readonly PulledOver[], place: Place, withinMs: number): Promise<ConflictDetails[]> {
  const http = openWire({ ...place.wire, signal: AbortSignal.timeout(withinMs) }, () => {})
  const found: ConflictDetails[] = []
  try {
    for (const one of files) {
      const plain = plainDetails(one, place)
      found.push(found.length < mostLookedUp ? await lookUp(one, { place, http, plain }).catch(() => plain) : plain)
    }
    return found
  } finally {
    await http.close('destroy')
  }
}

function plainDetails(one: PulledOver, { root, person }: Place): ConflictDetails {
  const stats = statSync(join(root, one.file), { throwIfNoEntry: false })
  return {
    local: {
      ...{ content_hash: one.localHash, size: stats?.size ?? null, at: stats?.mtime.toISOString() ?? null, by: person },
      ...{ version: null, object_id: one.baseObjectId, picture: null },
    },
    incoming: {
      ...{ content_hash: one.hash, size: one.size, at: null, by: null },
      ...{ version: null, object_id: one.objectId, picture: null },
    },
    differences: twoProps(one),
  }
}

interface Look {
  place: Place
  http: Http
  plain: ConflictDetails
}

async function lookUp(one: PulledOver, { place, http, plain }: Look): Promise<ConflictDetails> {
  const api = createApi(http)
  const [here, lineage] = await Promise.all([
    readLocalFile(place.root, one.file).catch(() => undefined),
    api.lineages.get({ lineage_id: one.lineageId }),
  ])
  const nameOf = (id: number) => versionName({ object_id: id, version: versionNumber(lineage, id) })
  const object = lineage.objects.find(({ object_id }) => object_id === one.objectId)
  const there = object && (await readVersion(api, lineage, object))
  const artifact = there?.thumbnail_artifact_id ?? undefined
  const [ours, theirs] = await Promise.all([
    here && writePicture(place, `local-${here.content_hash}`, () => here.picture()),
    artifact === undefined ? undefined : writePicture(place, `incoming-${one.hash}`, () => fetchPicture(http, artifact)),
  ])
  return {
    local: {
      ...{ ...plain.local, content_hash: here?.content_hash ?? one.localHash, picture: ours ?? null },
      version: one.baseObjectId === null ? null : nameOf(one.baseObjectId),
    },
    incoming: {
      ...{ ...plain.incoming, at: there?.pushed_at ?? null, by: there?.pushed_by ?? null, picture: theirs ?? null },
      version: nameOf(one.objectId),
    },
    differences: [...plain.differences, ...(here && there ? differencesOf(here, there) : [])],
  }
}

/** Nothing where both are versions of one prop. */
const twoProps = ({ other }: PulledOver): string[] =>
  other ? [`They are two props: ${whoseProp(other)} lies here, ${whoseProp(other.pulled)} came.`] : []

const differencesOf = (here: LocalFile, there: Parameters<typeof compare>[1]): string[] =>
  differenceWords(compare(here, there)).slice(0, 50)

/** A picture that cannot be made is none. */
async function writePicture(
  { pictures }: Place,
  name: string,
  make: () => Promise<Uint8Array | undefined>,
): Promise<string | undefined> {
  try {
    const png = await make()
    if (!png) return undefined
    await mkdir(pictures, { recursive: true, mode: 0o700 })
    const path = join(pictures, `${name}.png`)
    await writeFile(path, png, { mode: 0o600 })
    return path
  } catch {
    return undefined
  }
}

async function fetchPicture(http: Http, artifactId: number): Promise<Uint8Array | undefined> {
  const { location } = await createApi(http).media.artifact({ artifact_id: artifactId })
  const { body } = await http.open({ url: location })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limits.thumbnail.bytes) {
      body.destroy()
      return undefined
    }
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  // Editors decode what they are handed.
  return isPictureWithin(bytes, pictureBounds.thumbnail) ? bytes : undefined
}
