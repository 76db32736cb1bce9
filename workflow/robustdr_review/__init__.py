"""The reviewer: reads the tables and sentences of any paper, and checks them by the audit's arithmetic."""
