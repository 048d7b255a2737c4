/** What comes with requests and pushes: heads, bodies, files of operators, package headers and what they refer to. */
import fastifyCookie from '@fastify/cookie'
import { fastify } from 'fastify'
import { agentEditors } from '../../../contract/agent-editors.ts'
import { geometryFailure } from '../../../contract/annotations.ts'
import { limits } from '../../../contract/limits.ts'
import type { ManifestItem } from '../../../contract/push.ts'
import { differencesOf } from '../../../mcp/tools/everyday-reading.ts'
import { writePackage } from '../../../sample/package.ts'
import { requireJson } from '../../../server/discussion/upload.ts'
import { faultInPieces } from '../../../server/provision/file.ts'
import { edgesOf, headerEdgesWithin, pathsReferredTo } from '../../../server/push/edges.ts'
import { lookInThread } from '../../../server/push/headers/header-thread.ts'
import { lookInto } from '../../../server/push/headers/look.ts'
import { parseJson } from '../../../serving/bodies/parse.ts'
import { inputReader } from '../../../serving/validation.ts'
import { filled, type Reading, tried } from './reading.ts'

const header = 16 * 1024
const MiB = 1024 * 1024

const importing = (count: number): string[] => Array.from({ length: count }, (_, at) => `/Game/Kit/Imported/T_${at}`)

/** Of a package with so many bytes of header, nearly all of it imports. */
const packageOf = (size: number): Promise<Buffer> =>
  writePackage({
    packageName: '/Game/Kit/L_Large',
    assetClass: 'World',
    guid: 'A'.repeat(32),
    payload: Buffer.from('payload'),
    imports: importing(Math.floor(size / 82)),
  })

const saidOf = (bytes: Buffer) => ({ content_hash: 'a', blob_size: bytes.length, asset_name: 'L_Large' })

/** A server as it is set up for requests, whose only route does nothing. */
function answering(head: (size: number) => { url: string; headers: Record<string, string> }): Reading['prepare'] {
  return async (size) => {
    const app = fastify()
    await app.register(fastifyCookie)
    app.get('/', async () => ({}))
    await app.ready()
    const asked = head(size)
    return () => app.inject({ method: 'GET', ...asked })
  }
}

/** As deep as bodies nest, with a text at the bottom. */
const nested = (size: number, text: string): unknown =>
  Array.from({ length: 60 }).reduce<unknown>((inside) => ({ a: inside }), filled(text, size))

export const requestReadings: readonly Reading[] = [
  {
    file: 'server/http/app.ts',
    what: 'cookies',
    largest: header,
    prepare: answering((size) => ({ url: '/', headers: { cookie: filled('a=%41;', size) } })),
  },
  {
    file: 'server/http/app.ts',
    what: 'a query string',
    largest: header,
    prepare: answering((size) => ({ url: `/?${filled('a=%41&', size)}`, headers: {} })),
  },
  {
    file: 'serving/bodies/parse.ts',
    what: 'a body that is read at once: 3 MiB of weight',
    largest: 192 * 1024,
    prepare: (size) => {
      const body = Buffer.from(JSON.stringify(Array(Math.floor(size / 10)).fill({ a: 'b' })))
      return () => parseJson([body])
    },
  },
  {
    file: 'serving/validation.ts',
    what: 'what an editor tells the agent',
    largest: limits.agent.openPackages,
    prepare: (size) => {
      const read = inputReader(agentEditors.announce)
      const open = Array.from({ length: size }, (_, at) => `/Game/${at}/${'a'.repeat(180)}`)
      const body = { project_key: 'Game', root: '/a', accepts_imports: true, open }
      return () => read({ params: { session_id: 'session-1' }, query: {}, body })
    },
  },
  {
    file: 'server/provision/file.ts',
    what: 'a provisioning file',
    largest: limits.provisionFileBytes,
    prepare: (size) => {
      const people = Array.from({ length: size / 340 }, (_, at) => `member-${at}-${'a'.repeat(40)}`)
      const members = people.map((name) => ({ email: `${name}@studio.test`, name, role: 'member' }))
      const key = (at: number) => `ph_live_${`${at}`.padStart(40, '0')}`
      const keys = people.map((name, at) => ({ name, member: `${name}@studio.test`, scope: 'write', key: key(at) }))
      const file = { workspaces: [{ slug: 'studio', name: 'Studio', members, keys }] }
      return () => faultInPieces(file)
    },
  },
  {
    file: 'server/discussion/upload.ts',
    what: 'strokes of a drawing',
    largest: limits.attachment.strokesBytes,
    prepare: (size) => {
      const strokes = Buffer.from(filled('[0.5,[{"a":1}]],', size))
      return () => tried(() => requireJson(strokes))
    },
  },
  {
    file: 'contract/annotations.ts',
    what: 'the geometry of an annotation',
    largest: limits.plainBodyBytes,
    prepare: (size) => {
      const points = Array.from({ length: size / 8 }, () => [0.5, 0.5])
      return () => geometryFailure('freehand', { points })
    },
  },
  {
    file: 'mcp/tools/everyday-reading.ts',
    what: 'two versions that differ far inside (differencesOf)',
    largest: limits.metadataDoc.bytes,
    prepare: (size) => {
      const [from, to] = [nested(size, 'a'), nested(size, 'b')]
      return () => differencesOf(from, to)
    },
  },
  {
    file: 'server/push/headers/look.ts',
    what: 'a package header that is read at once',
    largest: 256 * 1024,
    prepare: async (size) => {
      const bytes = await packageOf(size)
      return () => lookInto(bytes, saidOf(bytes))
    },
  },
  {
    file: 'server/push/headers/header-thread.ts',
    what: 'a package header that a thread reads',
    largest: 8 * MiB,
    prepare: async (size) => {
      const bytes = await packageOf(size)
      return () => lookInThread(async () => Buffer.from(bytes), saidOf(bytes))
    },
  },
  {
    file: 'server/push/edges.ts',
    what: 'what a package imports',
    largest: 100_000,
    prepare: (size) => {
      const imports = importing(size).map((path) => path.toLowerCase())
      const headers = new Map([['a', { guid: undefined, imports }]])
      const items = [{ content_hash: 'a', origin_path: '/Game/Kit/L_Large' } as ManifestItem]
      const where = { idOf: () => 1, lineageOf: () => 'a', pathOf: () => undefined, atPath: new Map() }
      const referring = { headers, missing: new Map(), known: new Map(), copied: new Map() }
      return async () => {
        await headerEdgesWithin(items, headers)
        await pathsReferredTo(referring)
        await edgesOf(items, referring, where)
      }
    },
  },
]
