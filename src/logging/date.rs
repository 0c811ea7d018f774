//! UTC dates for logs and records: converts days to year, month and day in the proleptic Gregorian calendar.

use std::time::{SystemTime, UNIX_EPOCH};

/// A date and time in UTC, to the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    year: i64,
    month: u32,
    day: u32,
    second_of_day: u32,
}

impl Date {
    /// The current time.
    pub fn now() -> Date {
        Date::from_unix(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }

    /// The time this many seconds after the Unix epoch.
    pub fn from_unix(seconds: u64) -> Date {
        // H. Hinnant's `civil_from_days`: the year starts in March, so that the leap day is its last day.
        let days = (seconds / 86_400) as i64 + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
        let month = (if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 }) as u32;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Date { year, month, day, second_of_day: (seconds % 86_400) as u32 }
    }

    /// `2026-11-21T13:51:07Z`.
    pub fn rfc3339(&self) -> String {
        let (h, m, s) = self.time();
        format!("{:04}-{:02}-{:02}T{h:02}:{m:02}:{s:02}Z", self.year, self.month, self.day)
    }

    /// `2026-11-21T13:51:07.042Z`: a time with its milliseconds.
    pub fn stamp(time: SystemTime) -> String {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let second = Date::from_unix(since.as_secs()).rfc3339();
        format!("{}.{:03}Z", second.trim_end_matches('Z'), since.subsec_millis())
    }

    /// `20261121-135107`, for file names.
    pub fn compact(&self) -> String {
        let (h, m, s) = self.time();
        format!("{:04}{:02}{:02}-{h:02}{m:02}{s:02}", self.year, self.month, self.day)
    }

    fn time(&self) -> (u32, u32, u32) {
        (self.second_of_day / 3600, self.second_of_day / 60 % 60, self.second_of_day % 60)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn known_dates() {
        assert_eq!(Date::from_unix(0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(Date::from_unix(951_782_399).rfc3339(), "2000-02-28T23:59:59Z");
        assert_eq!(Date::from_unix(951_782_400).rfc3339(), "2000-02-29T00:00:00Z");
        assert_eq!(Date::from_unix(1_000_000_000).compact(), "20010909-014640");
        assert_eq!(Date::from_unix(4_102_444_799).rfc3339(), "2099-12-31T23:59:59Z");
        assert_eq!(Date::stamp(UNIX_EPOCH + Duration::from_millis(86_400_007)), "1970-01-02T00:00:00.007Z");
    }
}
