/** What the card reads of the answers of tools, as far as it does. */

export interface ToolAnswer {
  isError?: boolean
  structuredContent?: unknown
  /** Of a refusal: texts for programs, without the marks that an assistant sees. */
  _meta?: { 'prop-house/error'?: { code: string; message: string; next?: string } } | undefined
}

export interface Round {
  id: number
  entry_id: number
  object_id: number
  status: string
  note: string | null
  requested_by: { name: string }
  reviewers: { user: { name: string }; response: 'pending' | 'approved' | 'changes_requested'; note: string | null }[]
}

/** Of `review`, without an answer of a person. */
export interface Shown {
  plan: { request: Round; entry: { id: number; name: string; has_thumbnail: boolean; face_object_id: number } }
}

/** Of `review`, with one: its plan, or what became of it. */
export interface Planned {
  plan_token?: string
  declined?: boolean
}

export interface VersionRow {
  object_id: number
  version: number
}

export interface Difference {
  field: string
  from: unknown
  to: unknown
}
