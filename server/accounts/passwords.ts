/** Passwords: hashed by scrypt beside the work, a few at a time, with the same work whether there is anything to compare with or not. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'

/** OWASP's least for scrypt; 16 MiB and about 0.2 s each. */
const cost = { N: 16_384, r: 8, p: 5 }
const saltBytes = 16
const hashBytes = 32

/** Hashing runs on the threads that also read and write files: at most two of the four. */
const hashing = pLimit(2)

/** With parameters and salt, as text: `scrypt$16384$8$5$<salt>$<hash>`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** What nobody's password is compared with. */
const nobody = ['scrypt', cost.N, cost.r, cost.p, randomBytes(saltBytes).toString('base64'), ''].join('$')

/** `stored` is undefined or null where there is no account, or none that signs in with a password: that takes as long. */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = (stored ?? nobody).split('$')
  const hash = await derive(password, Buffer.from(salt, 'base64'), { N: Number(N), r: Number(r), p: Number(p) })
  const expectedHash = Buffer.from(expected, 'base64')
  return expectedHash.length === hash.length && timingSafeEqual(expectedHash, hash)
}

/** One spelling for a character that keyboards compose differently. */
const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  hashing(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, hash) => (error ? reject(error) : resolve(hash)))
      }),
  )
