import { Mark } from '../../parts/state.tsx';
import styles from './evidence.module.css';

type Failed = { name: string; message: string };
type Report = { tests: number; skipped: number; seconds: number; failed: Failed[] };

/** Reads a JUnit report, the form that most test programs write. Other text has none. */
export function parseTestReport(text: string): Report | undefined {
  if (!/^\s*(<\?xml[^>]*>\s*)?<testsuites?[\s>]/.test(text)) return undefined;
  // Parsing runs no script and loads nothing.
  const document = new DOMParser().parseFromString(text, 'application/xml');
  if (document.querySelector('parsererror')) return undefined;
  const cases = [...document.querySelectorAll('testcase')];
  const failed = cases.flatMap((one) => {
    const failure = one.querySelector('failure, error');
    if (!failure) return [];
    const name = [one.getAttribute('classname'), one.getAttribute('name')].filter(Boolean).join(' › ');
    return [{ name, message: (failure.getAttribute('message') ?? failure.textContent).trim() }];
  });
  const skipped = cases.filter((one) => one.querySelector('skipped')).length;
  const seconds = cases.reduce((sum, one) => sum + (Number(one.getAttribute('time')) || 0), 0);
  return { tests: cases.length, skipped, seconds, failed };
}

/** The result of a report in a line, and each test that failed. */
export function TestReport({ report: { tests, skipped, seconds, failed } }: { report: Report }) {
  const passed = tests - skipped - failed.length;
  return (
    <section className={styles['report']} aria-label="Test report">
      <p>
        <Mark state={failed.length > 0 ? 'failed' : 'done'} />
        <b>
          {passed.toLocaleString('en')} passed, {failed.length.toLocaleString('en')} failed
          {skipped > 0 && `, ${skipped.toLocaleString('en')} skipped`}
        </b>
        <span className="dim">{seconds.toFixed(1)} s</span>
      </p>
      {failed.length > 0 && (
        <ul>
          {failed.slice(0, 100).map(({ name, message }, index) => (
            <li key={index}>
              <Mark state="failed" />
              <span>
                {name}
                <small>{message.slice(0, 500)}</small>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
