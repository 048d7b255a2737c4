// Where webhooks may go: the public internet by HTTPS, however an address is written and whatever name servers say later (spec 4.10, 6).
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/clock.ts'
import { endpointUrl } from '../../server/webhooks/endpoint-url.ts'
import { isPublic } from '../../server/webhooks/public-address.ts'
import { Sender } from '../../server/webhooks/sender.ts'
import { startNameServer } from '../support/name-server.ts'
import { redirectTo, startReceiver } from '../support/receiver.ts'

const strict = { allowPrivate: false }
const body = Buffer.from('{}')

function senderWith(allowPrivate: boolean, nameServer?: string): Sender {
  const sender = new Sender({
    clock: systemClock,
    allowPrivate,
    nameServers: nameServer === undefined ? undefined : [nameServer],
  })
  onTestFinished(() => sender.stop())
  return sender
}

const sendTo = (sender: Sender, url: string) =>
  sender.send({ url, secret: 'a secret', eventType: 'comment.create', delivery: '1.1', body })

test.each([
  ...['127.0.0.1', '127.8.9.10', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '017700000001', '0177.0.0.1', '0', '0.0.0.0'],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.9',
  ],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '①②⑦.⓪.⓪.①', '127。0。0。1', '１２７.0.0.1'],
  ...[
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[3fff::1]',
  ],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a00:1]',
    '[64:ff9b:1::1]',
  ],
  ...['localhost', 'LOCALHOST.', 'api.localhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'printer.local', 'metadata.google.internal', 'nas.home.arpa'],
  ...['intranet', 'com', 'wiki.intranet', 'vault.private', 'db.corp', 'x.home', 'router.lan', 'localhost..', 'nas.lan..'],
  ...['user:pass@8.8.8.8', 'user@8.8.8.8', '8.8.8.8:0'],
])('%s is refused, in every way of writing it', (host) => {
  expect(() => endpointUrl(`https://${host}/hook`, strict)).toThrow()
})

test.each([
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '11.0.0.1',
  '[2606:4700:4700::1111]',
  '[64:ff9b::808:808]',
  '8.8.8.8:8443',
  'bücher.example',
  'lan.example',
  'x.corp.example',
])('%s is on the public internet', (host) => {
  expect(endpointUrl(`https://${host}/hook`, strict).protocol).toBe('https:')
})

test('what is no address is not public; plain http, other protocols and odd ports are refused', () => {
  for (const text of ['', 'example.com', '1.2.3', '8.8.8.8/8']) expect(isPublic(text)).toBe(false)
  for (const url of ['http://8.8.8.8/x', 'ftp://8.8.8.8/x', 'javascript:alert(1)', '/x', 'https://8.8.8.8:70000/'])
    expect(() => endpointUrl(url, strict)).toThrow()
  expect(endpointUrl('http://127.0.0.1:1234/x', { allowPrivate: true }).port).toBe('1234')
})

test('a name that stands for a private address is refused when it is registered, one that nobody knows yet is not', async () => {
  const names = await startNameServer((name) => (name === 'inside.example' ? ['8.8.8.8', '10.1.2.3'] : []))
  const sender = senderWith(false, names.address)
  await expect(sender.names.requireEndpoint('https://inside.example/x')).rejects.toThrow('stands for 10.1.2.3')
  await sender.names.requireEndpoint('https://unknown.example/x')
})

test('a name server that changes its answer leads nowhere: nothing is connected to but what was looked at', async () => {
  const trap = await startReceiver(() => 200, { tls: true })
  // Public for who registers it, this machine for who connects.
  const names = await startNameServer((_, question) => (question === 1 ? ['8.8.8.8'] : ['127.0.0.1']))
  const sender = senderWith(false, names.address)
  const url = `https://rebound.example:${trap.port}/hook`
  await sender.names.requireEndpoint(url)
  expect(await sendTo(sender, url)).toMatchObject({ result: 'failed', error: expect.stringContaining('stands for 127.0.0.1') })
  expect(names.questions).toHaveLength(2)
  expect(trap.hits).toEqual([])
})

test('the address that was looked at is connected to: there is one question for each connection, and no other look', async () => {
  const first = await startReceiver()
  const { port } = first
  const receivers = [
    first,
    await startReceiver(undefined, { host: '127.0.0.2', port }),
    await startReceiver(undefined, { host: '127.0.0.3', port }),
  ]
  const names = await startNameServer((_, question) => [`127.0.0.${question}`])
  const sender = senderWith(true, names.address)
  for (let sent = 0; sent < 3; sent++)
    expect(await sendTo(sender, `http://moving.example:${port}/hook`)).toEqual({ result: 'delivered', status: 200 })
  expect(receivers.map(({ hits }) => hits.length > 0)).toEqual(receivers.map((_, at) => at < names.questions.length))
})

test('a redirect is looked at like an address of its own, and is followed three times at most', async () => {
  const sender = senderWith(true)
  const receiver = await startReceiver((path) => {
    const left = Number(/^\/hop(\d)$/.exec(path)?.[1] ?? 0)
    return left > 0
      ? redirectTo(`/hop${left - 1}`, left % 2 ? 307 : 302)
      : path === '/file'
        ? redirectTo('file:///etc/passwd')
        : 200
  })
  expect(await sendTo(sender, `${receiver.url}/hop3`)).toMatchObject({ result: 'delivered' })
  expect(receiver.of('/hop0')[0]).toMatchObject({ bytes: body, headers: { 'x-ph-signature': expect.stringMatching(/^t=/) } })
  expect(await sendTo(sender, `${receiver.url}/hop4`)).toMatchObject({
    result: 'failed',
    error: 'It redirected more than 3 times.',
  })
  expect(await sendTo(sender, `${receiver.url}/file`)).toMatchObject({
    result: 'failed',
    error: expect.stringContaining('redirected'),
  })
  expect(receiver.of('/hop0')).toHaveLength(1)
})

test('a certificate that nobody vouches for is not sent to', async () => {
  const receiver = await startReceiver(() => 200, { tls: true })
  expect(await sendTo(senderWith(true), `${receiver.url}/in`)).toMatchObject({
    result: 'failed',
    error: expect.stringContaining('certificate'),
  })
  expect(receiver.hits).toEqual([])
})
