/** Hands out the client that fits this server: the tarball, and which one it is. The page beside them is `dashboard/pages/install.ts`. */

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientPaths } from '../../contract/version.ts'
import type { Services } from '../services.ts'
import { bytesOf, type ClientPackage, ClientPackages } from './client-package.ts'

interface Handed extends Pick<Services, 'answers'> {
  client: ClientPackage
}

type TarballRequest = FastifyRequest<{ Querystring: { sha256?: string } }>

export function mountInstall(app: FastifyInstance, { settings, answers }: Pick<Services, 'settings' | 'answers'>): void {
  const packages = new ClientPackages(settings.dataDir)
  app.addHook('onListen', async () => packages.prepare())
  app.addHook('onClose', () => packages.close())
  app.get(clientPaths.version, async (_request, reply) => {
    const { version, sha256 } = await packages.get()
    return reply.header('Cache-Control', 'no-cache').send({ version, sha256 })
  })
  app.get(clientPaths.tarball, async (request: TarballRequest, reply) =>
    handOut({ client: await packages.get(), answers }, request, reply),
  )
}

/** The address stays and the bytes change with the server, so caches ask; with the hash in the address they need not. */
function handOut({ client, answers }: Handed, request: TarballRequest, reply: FastifyReply): FastifyReply {
  const { version, sha256, sizeBytes } = client
  answers.takeForAnswer(request, reply.raw)
  const etag = `"${sha256}"`
  reply.headers({
    ETag: etag,
    'Cache-Control': request.query.sha256 === sha256 ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  })
  const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (known?.includes(etag) || known?.includes('*')) return reply.code(304).send()
  reply.headers({
    'Content-Type': 'application/gzip',
    'Content-Length': sizeBytes,
    'Content-Disposition': `attachment; filename="prop-house-${version}.tgz"`,
  })
  return reply.send(request.method === 'HEAD' ? Readable.from([]) : Readable.from(bytesOf(client)))
}
