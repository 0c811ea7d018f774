//! UTC dates for logs and records.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A date and time in UTC, to the second: the seconds since the Unix epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date(u64);

impl Date {
    /// The current time.
    pub fn now() -> Date {
        Date(since_epoch(SystemTime::now()).as_secs())
    }

    /// `2026-11-21T13:51:07Z`, in the proleptic Gregorian calendar.
    pub fn rfc3339(&self) -> String {
        // H. Hinnant's `civil_from_days`: the year starts in March, so that the leap day is its
        // last day.
        let days = self.0 / 86_400 + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = (shifted_month + 2) % 12 + 1;
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        let (hour, minute, second) = (self.0 / 3600 % 24, self.0 / 60 % 60, self.0 % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// `2026-11-21T13:51:07.042Z`: a time with the first `digits` digits of its second's fraction, at
    /// most six.
    pub fn stamp(time: SystemTime, digits: usize) -> String {
        let since = since_epoch(time);
        let second = Date(since.as_secs()).rfc3339();
        let fraction = format!("{:06}", since.subsec_micros());
        format!("{}.{}Z", second.trim_end_matches('Z'), &fraction[..digits])
    }

    /// `20261121-135107`, for file names.
    pub fn compact(&self) -> String {
        self.rfc3339()
            .replace(['-', ':', 'Z'], "")
            .replace('T', "-")
    }
}

fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        assert_eq!(Date(0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(Date(951_782_399).rfc3339(), "2000-02-28T23:59:59Z");
        assert_eq!(Date(951_782_400).rfc3339(), "2000-02-29T00:00:00Z");
        assert_eq!(Date(1_000_000_000).compact(), "20010909-014640");
        assert_eq!(Date(4_102_444_799).rfc3339(), "2099-12-31T23:59:59Z");
        assert_eq!(
            Date::stamp(UNIX_EPOCH + Duration::from_millis(86_400_007), 3),
            "1970-01-02T00:00:00.007Z"
        );
    }
}
