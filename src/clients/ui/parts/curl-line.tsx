import { CopyButton } from './copy.tsx';
import styles from './curl-line.module.css';

/** The request that does the same as the page, for scripts. */
export function CurlLine({
  path,
  method = 'GET',
  title = 'With the API',
}: {
  path: string;
  method?: string;
  title?: string;
}) {
  const verb = method === 'GET' ? '' : `-X ${method} `;
  const command = `curl ${verb}-H "Authorization: Bearer $TOKEN" '${location.origin}/api/v1${path}'`;
  return (
    <section>
      <h2 className={styles['title']}>{title}</h2>
      <pre className={styles['command']}>{command}</pre>
      <CopyButton text={command} label="Copy the command" />
    </section>
  );
}
