/** What the library asks of the place where bytes lie. Small enough that a disk and an S3 bucket both fit it. */
import type { Readable } from 'node:stream'

export interface Storage {
  /**
   * Takes in bytes while they stream, and keeps them under `key` only when they are whole and have the expected hash.
   * Nothing is kept otherwise: HASH_MISMATCH for other bytes, VALIDATION beyond `maxBytes`. On return the bytes are on the disk.
   */
  receive(key: string, bytes: Readable, expected: { sha256?: string | undefined; maxBytes: number }): Promise<Received>
  /** The size of each key in bytes, undefined where nothing is kept. */
  sizes(keys: string[]): Promise<(number | undefined)[]>
  /** Bytes `start` to `end` (exclusive), fewer where the file is shorter. */
  read(key: string, start: number, end: number): Promise<Buffer>
  /** A presigned address that answers the bytes until `expiresAt`. */
  downloadUrl(key: string, as: DownloadAs): Promise<string>
  /** Presigned addresses to PUT bytes to, one per file, with the headers that must be sent. */
  uploadTargets(files: UploadFile[], expiresAt: Date): Promise<{ url: string; headers: Record<string, string> }[]>
  remove(keys: string[]): Promise<void>
  /** Fails when the place cannot be written to. */
  check(): Promise<void>
}

export interface Received {
  size: number
  sha256: string
  /** False when the same bytes were kept before. */
  created: boolean
}

export interface DownloadAs {
  contentType: string
  fileName?: string | undefined
  expiresAt: Date
  /** Where clients reach this server, such as `https://props.example`. */
  origin: string
}

export interface UploadFile {
  key: string
  /** The bytes must have this hash; without it any bytes are taken, once. */
  sha256?: string | undefined
  contentType: string
  maxBytes: number
  origin: string
}

/** Blobs of different workspaces never meet: each workspace has its own folder. */
export const blobKey = (workspaceId: number, hash: string): string => `${workspaceId}/blobs/${hash.slice(0, 2)}/${hash}`
export const artifactKey = (workspaceId: number, artifactId: number): string => `${workspaceId}/media/${artifactId}`
