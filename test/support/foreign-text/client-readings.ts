/** What programs of people read of servers, projects and files; formats are read in threads where a file may be large. */
import { wrap } from '../../../cli/terminal/wrap.ts'
import { plainHead } from '../../../client/content/answer-head.ts'
import { plainName } from '../../../client/download/layout.ts'
import { storageRefusal } from '../../../client/http/failures/storage-refusal.ts'
import { IgnoreList } from '../../../client/project/ignoring/ignore-list.ts'
import { readRules } from '../../../client/project/ignoring/ignore-rule.ts'
import { destinationsOf } from '../../../client/pull/destinations.ts'
import { normalizeAddress } from '../../../client/sign-in/address.ts'
import { verifySignature } from '../../../client/webhooks/verify-signature.ts'
import { readEvents } from '../../../contract/event-stream.ts'
import { levelsOf } from '../../../contract/level-parts.ts'
import { readFbx } from '../../../formats/fbx/fbx.ts'
import { readGltf } from '../../../formats/gltf/gltf.ts'
import { readMtl, readObj } from '../../../formats/obj/obj.ts'
import { filled, ofText, type Reading, tried } from './reading.ts'

const bytes =
  (make: (size: number) => string, read: (file: Uint8Array) => unknown): Reading['prepare'] =>
  (size) => {
    const file = Buffer.from(make(size), 'latin1')
    return () => tried(() => read(file))
  }

const longPath = `${'a/'.repeat(372)}${'a'.repeat(255)}`

export const clientReadings: readonly Reading[] = [
  {
    file: 'client/project/ignoring/ignore-rule.ts',
    what: '.phignore, read',
    largest: 64 * 1024,
    prepare: ofText((size) => filled('**/[!a-z]*?/**/\n', size), readRules),
  },
  {
    file: 'client/project/ignoring/ignore-list.ts',
    what: '.phignore beside a path of 999 characters',
    largest: 64 * 1024,
    prepare: (size) => {
      const list = new IgnoreList(readRules(`${'**/a/'.repeat(12)}*b\n`.repeat(size / 63)))
      list.ruleOf('a')
      return () => list.ruleOf(longPath)
    },
  },
  {
    file: 'client/content/answer-head.ts',
    what: 'the head of an answer',
    largest: 16 * 1024,
    prepare: ofText((size) => `HTTP/1.1 200 OK\r\na: ${filled(' ', size - 21)}b`, plainHead),
  },
  {
    file: 'client/http/failures/storage-refusal.ts',
    what: 'what an object storage says',
    largest: 64 * 1024,
    prepare: ofText(
      (size) => filled('<Error><Code>a', size),
      (text) => storageRefusal(400, text),
    ),
  },
  {
    file: 'client/download/layout.ts',
    what: 'the name of a prop',
    largest: 200,
    prepare: ofText((size) => `${filled('. ', size - 1)}a`, plainName),
  },
  {
    file: 'client/project/project-file.ts',
    what: 'the name of a package',
    largest: 1000,
    prepare: ofText((size) => filled('/__ExternalActors__', size), levelsOf),
  },
  {
    file: 'client/sign-in/address.ts',
    what: 'an address that was typed',
    largest: 2000,
    prepare: ofText((size) => `https://a/${filled('/', size - 11)}b`, normalizeAddress),
  },
  {
    file: 'client/pull/destinations.ts',
    what: 'files of a pull job',
    largest: 5000,
    prepare: (size) => {
      const files = Array.from({ length: size }, (_, at) => ({
        object_id: at,
        origin_path: `/Game/A/SM_${at}`,
        asset_class: 'StaticMesh',
        source_ext: null,
      }))
      return () => destinationsOf(files, '/Game')
    },
  },
  {
    file: 'client/webhooks/verify-signature.ts',
    what: 'the header of a webhook',
    largest: 16 * 1024,
    prepare: ofText(
      (size) => filled('v1=a,t=1,', size),
      (text) => verifySignature({ secret: 's', signature: text, body: '', nowMs: 0 }),
    ),
  },
  {
    file: 'contract/event-stream.ts',
    what: 'a line of a live stream',
    largest: 64 * 1024,
    prepare: ofText(
      (size) => `data: ${filled(' :', size - 6)}`,
      (line) => {
        async function* lines() {
          yield line
        }
        return readEvents(lines()).next()
      },
    ),
  },
  {
    file: 'cli/terminal/wrap.ts',
    what: 'a sentence on a terminal',
    largest: 10_000,
    prepare: ofText(
      (size) => filled('1,`2.', size),
      (text) => wrap(text, 80),
    ),
  },
  {
    file: 'formats/obj/obj.ts',
    isInThread: true,
    what: 'an OBJ of comments',
    largest: 1024 * 1024,
    prepare: bytes((size) => filled('# created by a  )).. OBJ Fil\n', size), readObj),
  },
  {
    file: 'formats/obj/obj.ts',
    isInThread: true,
    what: 'an MTL of names',
    largest: 1024 * 1024,
    prepare: bytes((size) => filled('newmtl a\nmap_Kd -s 1 1 1 a\n', size), readMtl),
  },
  {
    file: 'formats/fbx/text.ts',
    isInThread: true,
    what: 'an FBX text of nested blocks',
    largest: 1024 * 1024,
    prepare: bytes((size) => `; FBX 7.4.0 project file\n${filled('Objects: { Model: 1, "a" {\n', size - 25)}`, readFbx),
  },
  {
    file: 'formats/fbx/text.ts',
    isInThread: true,
    what: 'an FBX text that begins with spaces',
    largest: 4096,
    prepare: bytes((size) => filled('\n \t', size), readFbx),
  },
  {
    file: 'formats/gltf/gltf.ts',
    what: 'a glTF of nodes in each other',
    isInThread: true,
    largest: 1024 * 1024,
    prepare: bytes((size) => {
      const nodes = Array.from({ length: size / 20 }, (_, at) => ({ children: [at + 1] }))
      return JSON.stringify({ asset: { version: '2.0' }, scenes: [{ nodes: [0] }], nodes: [...nodes, {}] })
    }, readGltf),
  },
]
