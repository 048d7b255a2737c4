/** What the library asks of the place where bytes lie. Small enough that a disk and an S3 bucket both fit it. */
import type { Readable } from 'node:stream'
import { limits } from '../../contract/limits.ts'

export interface Storage {
  /**
   * Whether presigned addresses can be had to send bytes to. `seen`: what is sent there comes through this server. `unseen`: the place takes
   * it, checks it, and tells nobody. `none`: it would take anything.
   */
  readonly directUploads: 'seen' | 'unseen' | 'none'
  /**
   * Takes in bytes while they stream, and keeps them under `key` only when they are whole and have the expected hash.
   * Nothing is kept otherwise: HASH_MISMATCH for other bytes, VALIDATION beyond `maxBytes`, UNAVAILABLE when the place is full.
   * What is kept already is answered at once, and `bytes` is left unread. Chunks of a request are not to be used afterwards.
   */
  receive(key: string, bytes: Readable, expected: Expected): Promise<Received>
  /** The size of each key in bytes, undefined where nothing is kept. It may not be settled yet. */
  sizes(keys: readonly string[]): Promise<(number | undefined)[]>
  /**
   * Done when what is kept under these keys would be found after a power cut, whichever process received it and when. It comes
   * before rows that refer to keys, and after `sizes`, `beginning` or `receive` has told of them: once for many files, because it takes longer
   * than they do. Until then whole files may vanish, but never parts of them.
   */
  settle(keys: readonly string[]): Promise<void>
  /** The size and the first bytes, in one question; undefined where nothing is kept. It may not be settled yet. */
  beginning(key: string, mostBytes: number): Promise<Beginning | undefined>
  /** Bytes `start` to `end` (exclusive), fewer where the file is shorter; NOT_FOUND where nothing is kept. */
  read(key: string, start: number, end: number): Promise<Buffer>
  /** The file behind a key on a disk of this machine, to read from until it is released; undefined where nothing is kept, or more than `mostBytes`. */
  lend(key: string, mostBytes: number): Promise<Lent | undefined>
  /** A presigned address that answers the bytes until `expiresAt`. */
  downloadUrl(key: string, as: DownloadAs): Promise<string>
  /** Presigned addresses to PUT bytes to, one per file in their order, with the headers that must be sent; undefined for files that only `receive` takes. */
  uploadTargets(files: readonly UploadFile[], expiresAt: Date): Promise<(UploadTarget | undefined)[]>
  /** Done when they would be gone after a power cut, too. Keys that are not kept are passed over. */
  remove(keys: readonly string[]): Promise<void>
  /** Every file whose key begins so, some at a time, in no order that means something. */
  list(prefix: string): AsyncGenerator<StoredFile[]>
  /** Fails when the place cannot be used. */
  check(): Promise<void>
}

export interface Expected {
  /** Lowercase hex; without it any bytes are taken. */
  sha256?: string | undefined
  maxBytes: number
  /** The workspace has a storage limit: the bytes are counted before they are acknowledged, else soon after. */
  isLimited?: boolean | undefined
  /** What is kept is known to be damaged: the bytes take its place. */
  replaces?: boolean | undefined
}

export interface Received {
  size: number
  /** False when bytes were kept under this key before. */
  created: boolean
}

export interface Beginning {
  /** Of the whole file, in bytes. */
  size: number
  bytes: Buffer
}

/** A file on a disk of this machine. */
export interface Lent {
  path: string
  release(): void
}

export interface StoredFile {
  key: string
  /** Bytes. */
  size: number
  storedAt: Date
}

export interface DownloadAs {
  contentType: string
  /** The answer then is an attachment of that name. */
  fileName?: string | undefined
  expiresAt: Date
  /** Where clients reach this server, such as `https://props.example`. */
  origin: string
}

export interface UploadFile extends Expected {
  key: string
  /** In bytes, where it is known: the address takes a file of this size only. */
  size?: number | undefined
  contentType: string
  origin: string
}

export interface UploadTarget {
  url: string
  headers: Record<string, string>
}

/** Blobs of different workspaces never meet: each workspace has its own folder. */
export const blobKey = (workspaceId: number, hash: string): string => `${workspaceId}/blobs/${hash.slice(0, 2)}/${hash}`
/** A thousand to a folder. */
export const artifactKey = (workspaceId: number, artifactId: number): string =>
  `${workspaceId}/media/${Math.floor(artifactId / 1000)}/${artifactId}`
/** Of a picture that someone attached, or of the strokes over one; as many to a folder. */
export const attachmentKey = (workspaceId: number, fileId: number): string =>
  `${workspaceId}/attachments/${Math.floor(fileId / 1000)}/${fileId}`

interface KeyParts {
  workspaceId: number
  contentHash?: string | undefined
  artifactId?: number
  attachmentFileId?: number
}

/** What a key was made of: a blob, a media file, or a file of an attachment. */
export function readKey(key: string): KeyParts {
  const [workspaceId, kind, , name] = key.split('/')
  const made = { workspaceId: Number(workspaceId) }
  if (kind === 'blobs') return { ...made, contentHash: name }
  return kind === 'media' ? { ...made, artifactId: Number(name) } : { ...made, attachmentFileId: Number(name) }
}

/** Until when an address given out now is good (contract-gaps 4). */
export const presignedUntil = (now: Date): Date => new Date(now.getTime() + limits.presignedMinutes * 60_000)
