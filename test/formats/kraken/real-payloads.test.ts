// The decoder against source data that editors of 5.0 to 5.7 compressed: each payload is named by a hash of its raw bytes.
import { expect, test } from 'vitest'
import { readCompressedBuffer } from '../../../formats/kraken/compressed-buffer.ts'
import { checkPayload, payloadId } from '../../../formats/kraken/payload-id.ts'
import { fixtureFolder } from '../../support/real-packages.ts'
import { realPayloads } from '../../support/real-payloads.ts'

const ifReal = test.runIf(fixtureFolder)

ifReal('every payload of real packages decodes to the bytes that its package names', async () => {
  const payloads = realPayloads()
  const decoded = payloads.map(async ({ path, buffer }) => {
    const raw = readCompressedBuffer(buffer)
    return { path, id: await payloadId(raw), rawSize: raw.length }
  })
  expect(await Promise.all(decoded)).toEqual(payloads.map(({ path, id, rawSize }) => ({ path, id, rawSize })))
  expect(payloads.length).toBeGreaterThanOrEqual(23)
  for (const { buffer, id } of payloads.slice(0, 5)) await checkPayload(readCompressedBuffer(buffer), id)
})

test('bytes that are not those of an id are damaged', async () => {
  const id = await payloadId(Buffer.from('oak'))
  await checkPayload(Buffer.from('oak'), id)
  await expect(checkPayload(Buffer.from('elm'), id)).rejects.toMatchObject({ name: 'FormatError', reason: 'damaged' })
})

test('an id is the first 20 bytes of a BLAKE3', async () => {
  expect(await payloadId(new Uint8Array(0))).toBe('af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9')
})
