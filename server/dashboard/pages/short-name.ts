/** The name that others write as `@name`: one word, so that a mention of it has an end. */
import { Type } from 'typebox'

export const ShortName = Type.String({ maxLength: 80, pattern: '^[^\\s\\p{Cc}@]+$' })
