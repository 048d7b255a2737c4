/** What the server reads of others on its main thread. */
import { metadataDocFailure } from '../../../contract/metadata.ts'
import { sourcePathPattern } from '../../../contract/path-patterns.ts'
import { fitted } from '../../../mcp/tools/fitted.ts'
import { issuePlanToken } from '../../../mcp/tools/plan-token.ts'
import { unknownIn } from '../../../mcp/tools/selection.ts'
import { namesIn } from '../../../mcp/tools/toolset-names.ts'
import { mentionsOf } from '../../../server/discussion/mentions.ts'
import { readAddress } from '../../../server/http/address.ts'
import { readMessage } from '../../../server/mcp/message.ts'
import { PathPattern } from '../../../server/search/globs.ts'
import { endpointUrl } from '../../../server/webhooks/endpoint-url.ts'
import { JsonScan } from '../../../serving/bodies/scan.ts'
import { requireStorable } from '../../../serving/validation.ts'
import { printable } from '../../../system/printable.ts'
import { toQuestion } from '../../../words/query-words.ts'
import { wordsOf } from '../../../words/tokenizer.ts'
import { filled, ofText, type Reading, tried } from './reading.ts'

const header = 16 * 1024
const comment = 4000
const members = Array.from({ length: 1000 }, (_, id) => ({ id, name: `member${id}`, display_name: `Member ${id}` }))
const sourcePath = new RegExp(sourcePathPattern, 'u')

const message =
  (piece: string): Reading['prepare'] =>
  (size) => {
    const body = Buffer.from(filled(piece, size))
    return () => tried(() => readMessage(body))
  }

export const serverReadings: readonly Reading[] = [
  { file: 'server/mcp/message.ts', what: 'a message whose text never ends', largest: 1_000_000, prepare: message('"\\\\') },
  { file: 'server/mcp/message.ts', what: 'a message of brackets', largest: 1_000_000, prepare: message('[]{}') },
  {
    file: 'server/mcp/message.ts',
    what: 'a batch of more calls than are taken',
    largest: 1_000_000,
    prepare: (size) => {
      const calls = filled('{"method":"tools/call"},', size - 1).slice(0, -24)
      const body = Buffer.from(`[${calls.slice(0, calls.lastIndexOf('}') + 1)}]`)
      return () => tried(() => readMessage(body))
    },
  },
  {
    file: 'server/mcp/message.ts',
    what: 'a batch of a hundred calls',
    largest: 1_000_000,
    prepare: (size) => {
      const call = { method: 'tools/call', params: filled('a"', size / 150) }
      const body = Buffer.from(JSON.stringify(Array(100).fill(call)))
      return () => readMessage(body)
    },
  },
  {
    file: 'serving/bodies/scan.ts',
    what: 'what a body brings at once',
    largest: 64 * 1024,
    prepare: (size) => {
      const chunk = Buffer.from(filled('[{"a":["\\""]},', size))
      return () => new JsonScan().add(chunk)
    },
  },
  {
    file: 'serving/validation.ts',
    what: 'texts of a body that is read at once',
    largest: 1024 * 1024,
    prepare: (size) => {
      const body = { a: Array.from({ length: size / 8 }, () => 'aaaa') }
      const text = JSON.stringify(body)
      return () => requireStorable(text, body)
    },
  },
  {
    file: 'server/http/address.ts',
    what: 'the target of a request',
    largest: header,
    prepare: ofText((size) => `/w/${filled('%41/', size - 3)}`, readAddress),
  },
  {
    file: 'mcp/tools/toolset-names.ts',
    what: 'names of tools in a header',
    largest: header,
    prepare: ofText(
      (size) => filled('a,', size),
      (text) => unknownIn({ toolsets: [], tools: namesIn(text), exclude: namesIn(text), readOnly: false }),
    ),
  },
  {
    file: 'mcp/tools/plan-token.ts',
    what: 'arguments of a call',
    largest: 1_000_000,
    prepare: (size) => {
      const input = { a: Array.from({ length: size / 16 }, (_, at) => ({ b: at })) }
      return () => issuePlanToken({ secret: 's', person: 'p', tool: 't', input }, new Date(0))
    },
  },
  {
    file: 'mcp/tools/fitted.ts',
    what: 'an answer of many small lists',
    largest: 4 * 1024 * 1024,
    prepare: (size) => {
      const lists = Object.fromEntries(
        Array.from({ length: size / 256 }, (_, at) => [`key${at}`, Array.from({ length: 64 }, () => 'a')]),
      )
      return () => fitted(lists, 32_000)
    },
  },
  {
    file: 'mcp/tools/fitted.ts',
    what: 'an answer that is one long text',
    largest: 4 * 1024 * 1024,
    prepare: (size) => {
      const answer = { text: filled('a"', size) }
      return () => fitted(answer, 32_000)
    },
  },
  {
    file: 'contract/metadata.ts',
    what: 'what authors add to facts (ext)',
    largest: 64 * 1024,
    prepare: (size) => {
      const rows = Array.from({ length: size / 16 }, () => [[[1]]])
      return () => tried(() => metadataDocFailure({ v: 1, ext: { studio: { rows } } } as never))
    },
  },
  {
    file: 'contract/path-patterns.ts',
    what: 'a path of a manifest',
    largest: 1000,
    prepare: ofText(
      (size) => `${filled('a/', size - 1)}/`,
      (text) => sourcePath.test(text),
    ),
  },
  {
    file: 'server/discussion/mentions.ts',
    what: 'a comment of mentions',
    largest: comment,
    prepare: ofText(
      (size) => filled('@member999@', size),
      (text) => mentionsOf(members, text),
    ),
  },
  {
    file: 'words/tokenizer.ts',
    what: 'a description',
    largest: comment,
    prepare: ofText((size) => filled('aB\u0301ก1', size), wordsOf),
  },
  {
    file: 'words/query-words.ts',
    what: 'words that are searched for',
    largest: 10_000,
    prepare: ofText((size) => filled('"aB ', size), toQuestion),
  },
  {
    file: 'server/search/globs.ts',
    what: 'a path with stars, beside one folder',
    largest: 1000,
    prepare: ofText(
      (size) => filled(`${'a'.repeat(49)}*`, size),
      (text) => new PathPattern(`/${text.slice(1)}`).leafIn(`/${'a'.repeat(998)}/`),
    ),
  },
  {
    file: 'server/webhooks/endpoint-url.ts',
    what: 'the address of a webhook',
    largest: 2000,
    prepare: ofText(
      (size) => `https://a${filled('.', size - 9)}`,
      (text) => tried(() => endpointUrl(text, { allowPrivate: false })),
    ),
  },
  {
    file: 'system/printable.ts',
    what: 'a text for a terminal',
    largest: 64 * 1024,
    prepare: ofText((size) => filled('\u202ea', size), printable),
  },
]
