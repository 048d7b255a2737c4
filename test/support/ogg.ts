// OGG files made of pages, for tests: headers as an encoder writes them, and bodies of zeros in place of sound.

export type OggPage = { serial?: number; granule?: bigint; flags?: number; body?: Buffer }

const beginning = 2

/** One page; its checksum is left zero, as no reader here looks at it. */
export function oggPage({ serial = 7, granule = 0n, flags = 0, body = Buffer.alloc(0) }: OggPage): Buffer {
  const segments = Buffer.alloc(Math.floor(body.length / 255) + 1, 255)
  segments[segments.length - 1] = body.length % 255
  const header = Buffer.alloc(27)
  header.write('OggS', 'latin1')
  header[5] = flags
  header.writeBigInt64LE(granule, 6)
  header.writeUInt32LE(serial, 14)
  header[26] = segments.length
  return Buffer.concat([header, segments, body])
}

export function vorbisHeader({ channels = 2, sampleRate = 48_000, version = 0, serial = 7 } = {}): Buffer {
  const body = Buffer.alloc(30)
  body.write('\x01vorbis', 'latin1')
  body.writeUInt32LE(version, 7)
  body[11] = channels
  body.writeUInt32LE(sampleRate, 12)
  return oggPage({ serial, flags: beginning, body })
}

export function opusHeader({ channels = 1, skipped = 312, version = 1, serial = 7 } = {}): Buffer {
  const body = Buffer.alloc(19)
  body.write('OpusHead', 'latin1')
  body[8] = version
  body[9] = channels
  body.writeUInt16LE(skipped, 10)
  body.writeUInt32LE(16_000, 12)
  return oggPage({ serial, flags: beginning, body })
}

export function otherHeader(name: string, serial: number): Buffer {
  return oggPage({ serial, flags: beginning, body: Buffer.from(name, 'latin1') })
}
