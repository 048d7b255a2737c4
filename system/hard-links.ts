/** What systems say where a disk knows no hard links: exFAT, FAT, many shares. */

/** Windows says of such disks that the function is none, which Node calls EISDIR. */
const codes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'])

/** Whether a file that failed to be linked so cannot be, whatever is tried again. */
export const isNoLinkCode = (code: string): boolean => codes.has(code)
