import { CopyButton } from './copy.tsx';
import styles from './curl-line.module.css';

/** The request that does the same as the page, for scripts. */
export function CurlLine({
  path,
  body,
}: {
  path: string;
  /** Posted, as JSON. */
  body?: object;
}) {
  const json = body === undefined ? '' : `--json '${JSON.stringify(body)}' `;
  const command = `curl ${json}-H "Authorization: Bearer $TOKEN" '${location.origin}/api/v1${path}'`;
  return (
    <section>
      <h2 className={styles['title']}>With the API</h2>
      <pre className={styles['command']} data-curl>
        {command}
      </pre>
      <CopyButton text={command} label="Copy the command" />
    </section>
  );
}
