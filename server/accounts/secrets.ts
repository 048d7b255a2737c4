/** Secrets that the server gives out: 256 random bits, kept as their SHA-256. They are looked up by that hash, so nothing compares them. */
import { createHash, randomBytes } from 'node:crypto'

/** 43 characters of base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')
