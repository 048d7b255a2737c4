/** Building blocks that several nouns share: ids, hashes, paths, timestamps, people, pages (spec 1 and 2). */
import { type Static, type TSchema, Type } from 'typebox'
import { limits } from './limits.ts'

/** The same schema, or null. Written as a type list, which validates and serializes faster than `anyOf`. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: words } = schema as unknown as { type: string | string[]; enum?: string[] }
  const either = words ? { enum: [...words, null] } : {}
  return Type.Unsafe<Static<S> | null>({ ...schema, type: [type, 'null'].flat(), ...either })
}

/** A field that may be absent, or null meaning the same. */
export const absentOrNull = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))

/** One value or several of the same query parameter. */
export const repeatable = <S extends TSchema>(item: S) => Type.Array(item, { minItems: 1, maxItems: 200 })

/** Strings out of a fixed list. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values] })

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** Opaque to clients. */
export const LineageId = Type.String({ minLength: 1, maxLength: 64 })
/** Lowercase hex SHA-256 of the exact file bytes. */
export const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
/** UTC, ISO 8601, ending in `Z`. */
export const Timestamp = Type.String()
/** A long package name below /Game; ASCII letters, digits, `_` and `-`. */
export const OriginPath = Type.String({ pattern: '^/Game(/[A-Za-z0-9_-]+)+$', maxLength: 1000 })
/** `major.minor.patch`. */
export const EngineVersion = Type.String({ pattern: '^[0-9]{1,5}\\.[0-9]{1,5}\\.[0-9]{1,5}$' })
/** 32 upper-case hex digits, as the engine prints a GUID; other forms are kept as sent. */
export const PackageGuid = Type.String({ minLength: 1, maxLength: 64 })
/** A name for people: at least one character that is not white space. */
export const named = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
/** A name on one line: no control characters. */
export const plainNamed = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^(?=.*\\S)\\P{Cc}+$' })
export const Email = Type.String({ maxLength: 200, pattern: '^[^@\\s\\p{Cc}]+@[^@\\s\\p{Cc}]+$' })
/** A new one; when signing in any text is compared. */
export const Password = Type.String({ minLength: 8, maxLength: 200 })
/** The name of a workspace in addresses: `/w/<slug>`. */
export const WorkspaceSlug = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$' })
/** A cursor that only the server reads. */
export const Cursor = Type.String({ minLength: 1, maxLength: 4000 })
export const PageLimit = Type.Integer({ minimum: limits.page.min, maximum: limits.page.max })

/** The entries of a bulk call: one that is unknown, and none is changed (spec 4.12). */
export const EntryIds = Type.Array(Id, { minItems: 1, maxItems: limits.bulk })

/**
 * The history that the ids and sequence numbers of a library belong to. `id` changes when the library was set back to an earlier state, as by
 * a restore from a backup; `began_at` is when that was, or when the workspace was made. Then ask again for all that you remember of the
 * library: what was made after the backup is gone, and its numbers are never used again. Servers that do not say it leave it out.
 */
export const LibraryEpoch = Type.Object({ id: Type.String({ minLength: 1 }), began_at: Timestamp })
export type LibraryEpoch = Static<typeof LibraryEpoch>

export const UserStub = Type.Object({ id: Id, name: Type.String(), display_name: Type.String() })
export type UserStub = Static<typeof UserStub>

export const reviewStates = ['draft', 'in_review', 'changes_requested', 'approved'] as const
export const previewStatuses = ['none', 'ready', 'unavailable'] as const
export const entryStatuses = ['active', 'deprecated'] as const
/** Why an item belongs to its lineage (spec 4.9). */
export const lineageAnchors = ['guid', 'stamp', 'minted', 'user_attached'] as const

/** `{error: {code, message, details}}`: what the library answers on failure (spec 7). */
export const ErrorEnvelope = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    details: Type.Object({}, { additionalProperties: true }),
  }),
})
/** `{error: text}`: what the front door answers, before the library is reached (spec 7). */
export const FrontDoorError = Type.Object({ error: Type.String() })
