//! UTC dates for logs and records.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The current time: `2026-11-21T13:51:07Z`.
pub fn now() -> String {
    rfc3339(since_epoch(SystemTime::now()).as_secs())
}

/// The current time for file names: `20261121-135107`.
pub fn compact_now() -> String {
    compact(&now())
}

fn compact(date: &str) -> String {
    date.replace(['-', ':', 'Z'], "").replace('T', "-")
}

/// A time with the first `digits` digits of its second's fraction, at most six:
/// `2026-11-21T13:51:07.042Z`.
pub fn stamp(time: SystemTime, digits: usize) -> String {
    let since = since_epoch(time);
    let second = rfc3339(since.as_secs());
    let fraction = format!("{:06}", since.subsec_micros());
    format!("{}.{}Z", second.trim_end_matches('Z'), &fraction[..digits])
}

/// The date of these seconds since the Unix epoch, in UTC and the proleptic Gregorian calendar.
fn rfc3339(seconds: u64) -> String {
    // H. Hinnant's `civil_from_days`: the year starts in March, so that the leap day is its
    // last day.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = (shifted_month + 2) % 12 + 1;
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(compact(&rfc3339(1_000_000_000)), "20010909-014640");
        assert_eq!(rfc3339(4_102_444_799), "2099-12-31T23:59:59Z");
        assert_eq!(
            stamp(UNIX_EPOCH + Duration::from_millis(86_400_007), 3),
            "1970-01-02T00:00:00.007Z"
        );
    }
}
