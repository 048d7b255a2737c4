/** What the glTF makers' own validator finds in a GLB. */
import { createRequire } from 'node:module'

export interface GlbIssue {
  code: string
  message: string
  /** 0 error, 1 warning, 2 information, 3 hint. */
  severity: number
  pointer?: string
}

/** The package says nothing of its types. */
const validator = createRequire(import.meta.url)('gltf-validator') as {
  validateBytes(glb: Uint8Array): Promise<{ issues: { messages: GlbIssue[] } }>
}

/** Errors and warnings. */
export async function glbIssues(glb: Uint8Array): Promise<GlbIssue[]> {
  const { issues } = await validator.validateBytes(glb)
  return issues.messages.filter(({ severity }) => severity <= 1)
}
