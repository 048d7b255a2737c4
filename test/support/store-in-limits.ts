/** A store whose files may not grow beyond what the shell allows: prints what became of a large and of a small upload. */
import { createHash, createSecretKey } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ApiError } from '../../contract/errors.ts'
import { FileStorage } from '../../server/storage/fs.ts'

const root = process.argv[2] ?? ''
const storage = new FileStorage(root, createSecretKey(Buffer.alloc(32)))

async function send(bytes: Buffer) {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const key = `1/blobs/${sha256.slice(0, 2)}/${sha256}`
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) => bytes.subarray(n * 65_536, (n + 1) * 65_536))
  const answer = await storage
    .receive(key, Readable.from(chunks), { sha256, maxBytes: bytes.length })
    .catch((error: unknown) => error)
  const told =
    answer instanceof ApiError
      ? { code: answer.code, message: answer.message, details: answer.details, status: answer.status }
      : answer
  return { told, sizes: await storage.sizes([key]) }
}

const large = await send(Buffer.alloc(1_900_000, 'large'))
const left = readdirSync(join(root, 'incoming'), { recursive: true }).filter((name) => /[/\\]\d+$/.test(String(name)))
const small = await send(Buffer.from('small'))
storage.close()
process.stdout.write(JSON.stringify({ large, left, small }))
