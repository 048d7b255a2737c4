/** How paths look that a manifest says of a file. Apart from the schemas, so that clients can ask before they send. */

/** A long package name, under /Game or another mount point, such as a plugin's. */
export const packagePathPattern = '^(/[^/\\\\\\p{Cc}]+)+$'
/** Relative to the folder that was pushed: forward slashes, no `.` and no `..`, no drive. */
export const sourcePathPattern = '^(?![A-Za-z]:)(?!\\.{1,2}(/|$))[^/\\\\\\p{Cc}]+(/(?!\\.{1,2}(/|$))[^/\\\\\\p{Cc}]+)*$'
/** Of either, in characters. */
export const longestPath = 1000
