/** Downloads: whole or not at all, taken up again where they stopped, and never over someone's changes. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Download, downloadFile } from '../../../client/download/one-file.ts'
import { Http } from '../../../client/http/http.ts'
import { type Heard, startPeer } from '../../support/peer.ts'
import { sha256 } from '../../support/push.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31) % 251))
const hash = sha256(bytes)

/** Serves from where it was asked to, but at most `most` bytes; then the connection is cut. */
const serve =
  (content: Buffer, most = Number.POSITIVE_INFINITY) =>
  (response: ServerResponse, { headers }: Heard): void => {
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    const range = { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': content.length - start, ...(start > 0 ? range : {}) })
    if (content.length - start <= most) return void response.end(content.subarray(start))
    response.write(content.subarray(start, start + most), () => response.socket?.destroy())
  }

const ignoringRange = (response: ServerResponse): void => void response.writeHead(200).end(bytes)

async function fetchInto(folder: string, answers: Parameters<typeof startPeer>, more: Partial<Download> = {}) {
  const { url, heard } = await startPeer(...answers)
  const http = new Http({ url, retryForMs: 0 })
  onTestFinished(() => http.close('destroy'))
  const path = join(folder, 'SM_Barrel.uasset')
  const download = { locate: async () => `${url}/file`, contentHash: hash, sizeBytes: bytes.length, path, ...more }
  const settled = await downloadFile(http, download).then(
    (result) => ({ ...result, code: undefined }),
    (error) => ({ outcome: undefined, resumedBytes: undefined, code: error.code }),
  )
  return { ...settled, heard, partName: `.SM_Barrel.uasset.${hash.slice(0, 16)}.part` }
}

test('a file appears whole, under its name, and nothing else is left', async () => {
  const folder = temporaryFolder()
  expect(await fetchInto(folder, [serve(bytes)])).toMatchObject({ outcome: 'downloaded', resumedBytes: 0 })
  expect(readdirSync(folder)).toEqual(['SM_Barrel.uasset'])
  expect(readFileSync(join(folder, 'SM_Barrel.uasset')).equals(bytes)).toBe(true)
})

test('a file of several megabytes arrives as it was sent, in pieces as large as they come or many to a packet', async () => {
  const large = Buffer.from(Array.from({ length: 5_000_003 }, (_, at) => (at * at) % 251))
  const sent = { contentHash: sha256(large), sizeBytes: large.length }
  const inPieces = (response: ServerResponse): void => {
    response.writeHead(200)
    for (let at = 0; at < large.length; at += 10_007) response.write(large.subarray(at, at + 10_007))
    response.end()
  }
  for (const answer of [serve(large), inPieces]) {
    const folder = temporaryFolder()
    expect(await fetchInto(folder, [answer], sent)).toMatchObject({ outcome: 'downloaded', code: undefined })
    expect(readFileSync(join(folder, 'SM_Barrel.uasset')).equals(large)).toBe(true)
  }
})

test('a cut connection is taken up where it stopped', async () => {
  const folder = temporaryFolder()
  const { outcome, heard } = await fetchInto(folder, [serve(bytes, 70_000), serve(bytes, 70_000), serve(bytes)])
  expect(outcome).toBe('downloaded')
  const starts = heard.map(({ headers }) => Number(headers.range?.match(/\d+/)?.[0] ?? 0))
  expect(starts).toEqual([0, expect.toSatisfy((at) => at > 0), expect.toSatisfy((at) => at > (starts[1] ?? 0))])
  expect(sha256(readFileSync(join(folder, 'SM_Barrel.uasset')))).toBe(hash)
})

test('a connection that brings nothing again and again is given up, and the next run goes on from what came', async () => {
  const folder = temporaryFolder()
  const first = await fetchInto(folder, [serve(bytes, 50_000), (response) => response.socket?.destroy()])
  expect(first.code).toBe('UNREACHABLE')
  expect(readdirSync(folder)).toEqual([first.partName])
  const arrived = statSync(join(folder, first.partName)).size
  expect(arrived).toBeGreaterThan(0)
  const second = await fetchInto(folder, [serve(bytes)])
  expect(second).toMatchObject({ outcome: 'downloaded', resumedBytes: arrived })
  expect(second.heard[0]?.headers.range).toBe(`bytes=${arrived}-`)
})

test('a store that ignores Range makes the download begin anew', async () => {
  const folder = temporaryFolder({ [`.SM_Barrel.uasset.${hash.slice(0, 16)}.part`]: bytes.subarray(0, 1000) })
  expect((await fetchInto(folder, [ignoringRange])).outcome).toBe('downloaded')
  expect(sha256(readFileSync(join(folder, 'SM_Barrel.uasset')))).toBe(hash)
})

test('a part longer than the file, or of other bytes, is not trusted', async () => {
  const part = `.SM_Barrel.uasset.${hash.slice(0, 16)}.part`
  const tooLong = temporaryFolder({ [part]: Buffer.alloc(bytes.length + 1) })
  expect((await fetchInto(tooLong, [serve(bytes)])).outcome).toBe('downloaded')
  const other = temporaryFolder({ [part]: Buffer.alloc(5000) })
  expect((await fetchInto(other, [serve(bytes)])).code).toBe('WRONG_BYTES')
  expect(readdirSync(other)).toEqual([])
  expect((await fetchInto(other, [serve(bytes)])).outcome).toBe('downloaded')
})

test('wrong bytes never get the name of the file', async () => {
  const folder = temporaryFolder()
  const wrong = Buffer.from(bytes)
  wrong[7] = 1
  expect((await fetchInto(folder, [serve(wrong)])).code).toBe('WRONG_BYTES')
  expect(readdirSync(folder)).toEqual([])
  expect((await fetchInto(folder, [serve(Buffer.concat([bytes, bytes]))])).code).toBe('WRONG_BYTES')
})

test('a file that holds something else is left alone, unless it is to be replaced', async () => {
  const folder = temporaryFolder({ 'SM_Barrel.uasset': 'my own work' })
  const refused = await fetchInto(folder, [serve(bytes)])
  expect(refused.code).toBe('FILE_DIFFERS')
  expect(refused.heard).toEqual([])
  expect(readFileSync(join(folder, 'SM_Barrel.uasset'), 'utf8')).toBe('my own work')
  expect((await fetchInto(folder, [serve(bytes)], { force: true })).outcome).toBe('downloaded')
})

test('a file that appears while the download runs is left alone too', async () => {
  const folder = temporaryFolder()
  const meanwhile = () => writeFileSync(join(folder, 'SM_Barrel.uasset'), 'my own work')
  expect((await fetchInto(folder, [serve(bytes)], { onProgress: meanwhile })).code).toBe('FILE_DIFFERS')
  expect(readFileSync(join(folder, 'SM_Barrel.uasset'), 'utf8')).toBe('my own work')
})

test('a file that is there already is not fetched again', async () => {
  const folder = temporaryFolder({ 'SM_Barrel.uasset': bytes })
  const { outcome, heard } = await fetchInto(folder, [serve(bytes)])
  expect(outcome).toBe('present')
  expect(heard).toEqual([])
})

test('an empty file can be downloaded', async () => {
  const folder = temporaryFolder()
  const nothing = { contentHash: sha256(Buffer.alloc(0)), sizeBytes: 0 }
  expect((await fetchInto(folder, [serve(Buffer.alloc(0))], nothing)).outcome).toBe('downloaded')
  expect(readFileSync(join(folder, 'SM_Barrel.uasset'))).toHaveLength(0)
})
