/** The forms of media that a version can have: what each is sent as, and how large it may be (spec 4.9, 8). */
import { limits } from '../../contract/limits.ts'
import type { MediaKind } from '../../contract/media.ts'

export interface MediaForm {
  contentType: string
  maxBytes: number
}

export const mediaForms: Record<MediaKind, MediaForm> = {
  thumbnail: { contentType: 'image/png', maxBytes: limits.thumbnail.bytes },
  glb: { contentType: 'model/gltf-binary', maxBytes: limits.preview.glbBytes },
  image: { contentType: 'image/png', maxBytes: limits.preview.imageBytes },
  audio: { contentType: 'audio/wav', maxBytes: limits.preview.audioBytes },
}
