/** A Fastify server with one route that answers a fixed body: what any answer costs at least. Prints its address. */
import fastify from 'fastify'
import { Identity } from '../contract/identity.ts'

const [path = '/', body = '{}'] = process.argv.slice(2)
const answer = JSON.parse(body) as Identity
const app = fastify()
app.get(path, { schema: { response: { 200: Identity } } }, () => answer)
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
