// What a file says of the prop inside it, as the library stores it.

/**
 * The flat `entry.metadata` object of a push (spec 4.9). Only what a reader truly found is present; nothing is guessed.
 *
 * Units: bounds in centimetres (edge lengths of the box, not half of them), durations and `anim_length` in seconds,
 * `sample_rate` in hertz, texture sizes in pixels. `pbr_channels` is a comma-separated list, `source_authored_at` RFC 3339.
 */
export type EntryMetadata = {
  tri_count?: number
  vert_count?: number
  material_count?: number
  lod_count?: number
  has_collision?: boolean
  nanite_enabled?: boolean
  bounds_x?: number
  bounds_y?: number
  bounds_z?: number
  texture_count?: number
  max_texture_res?: number
  pbr_channels?: string
  blend_mode?: string
  two_sided?: boolean
  source_app?: string
  source_authored_at?: string
  audio_duration?: number
  sample_rate?: number
  channel_count?: number
  texture_width?: number
  texture_height?: number
  texture_format?: string
  bone_count?: number
  anim_length?: number
  emitter_count?: number
}
