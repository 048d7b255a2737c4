/**
 * A bare Fastify server that reads pages of stored JSON texts and joins them: what a page of entries costs when nothing has to be made.
 *   node page-server.ts FILE SCRATCH [postgres://…]
 * FILE: a line of JSON for each entry, in the order of the list. Prints its address. The table is made in the database at the address, which is
 * for this alone, or in a PGlite in the folder.
 */
import { readFileSync } from 'node:fs'
import fastify from 'fastify'
import { openDatabase } from '../server/database/open.ts'

const [file = '', scratch = '', databaseUrl] = process.argv.slice(2)
const { sql } = await openDatabase({ databaseUrl, embeddedDir: scratch })
await sql`create table page (name_key text collate "C" not null, id bigint not null, doc text not null)`
const docs = readFileSync(file, 'utf8').trim().split('\n')
for (let at = 0; at < docs.length; at += 1000)
  await sql`
    insert into page select lower(d::jsonb->>'name'), (d::jsonb->'id')::bigint, d
      from jsonb_array_elements_text(${sql.json(docs.slice(at, at + 1000))}) as d`
await sql`alter table page add primary key (name_key, id)`
await sql`vacuum (analyze) page`

const app = fastify()
app.get<{ Querystring: { name: string; id: string } }>('/page', async ({ query }, reply) => {
  const rows = await sql<{ doc: string }[]>`
    select doc from page where (name_key, id) > (${query.name}, ${Number(query.id)}) order by name_key, id limit 50`
  return reply
    .type('application/json')
    .send(`{"entries":[${rows.map(({ doc }) => doc).join(',')}],"next_cursor":"${query.name}"}`)
})
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.once('SIGTERM', () => process.exit(0))
