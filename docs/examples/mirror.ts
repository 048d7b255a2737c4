// Brings the catalog to another tool, one prop a line: node mirror.js props.jsonl. The next run asks the server only for what changed.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openLibrary, pagesOf } from '@prop-house/client'
import { CatalogMirror } from '@prop-house/client/mirror'

const [file = 'props.jsonl'] = process.argv.slice(2)
const library = await openLibrary()
const mirror = new CatalogMirror(library.wire)
try {
  await mirror.update(library.api)
  await pipeline(Readable.from(lines(mirror)), createWriteStream(file))
  const { entries, cursor } = mirror.report()
  console.log(`${entries} props in ${file}, as of change ${cursor}`)
} finally {
  mirror.close()
  await library.close()
}

// The mirror answers as the server does and costs it nothing, however many pages are read.
async function* lines({ api }: CatalogMirror): AsyncGenerator<string> {
  for await (const { entries } of pagesOf((cursor) => api.entries.list({ limit: 200, sort: 'name', cursor })))
    for (const { id, name, entry_type, category, pack, origin_path, blob_size } of entries)
      yield `${JSON.stringify({ id, name, type: entry_type, category, pack: pack.name, path: origin_path, bytes: blob_size })}\n`
}
